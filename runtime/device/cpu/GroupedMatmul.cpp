//===- GroupedMatmul.cpp - Products with a matrix for each group ----------===//
//
// Groups have any number of rows, known only now.  Dealt out whole they would
// leave threads without work, so every thread computes a part of each group's
// product, and nobody waits between groups.  Small products have fewer parts
// than there are threads: whose turn it is moves on with the group.
//
//             group 0    group 1   group 2
//   thread 0  part 0     part 1    part 0
//   thread 1  part 1     part 0    part 1
//
//===----------------------------------------------------------------------===//
#include "runtime/device/cpu/GroupedMatmul.h"

#include "runtime/Vocabulary.h"

#include <algorithm>
#include <cstddef>

using namespace zrt;

namespace {

/// The rows of a group.
struct Rows {
  int64_t begin, count;
};

/// The rows of group `g`, of those from `begin` on.  Offsets that do not rise to
/// the number of rows are nobody's, and leave no range of rows out or twice.
Rows rowsOf(const zrt_grouped_desc &d, const int32_t *offsets, uint32_t g,
            int64_t begin) {
  const int64_t end = g + 1 == d.groups
                          ? d.rows
                          : std::clamp<int64_t>(offsets[g + 1], begin, d.rows);
  return {begin, end - begin};
}

/// The product of a group with these rows.
zrt_matmul_desc productOf(const zrt_grouped_desc &d, uint32_t g, int64_t rows) {
  zrt_matmul_desc one = {};
  one.name = d.name;
  one.batch = 1;
  one.a = d.x;
  one.m = d.sums ? d.k : rows;
  one.n = d.n;
  one.k = d.sums ? rows : d.k;
  one.b = d.sums ? d.y : d.w[g];
  one.c = d.sums ? d.w[g] : d.y;
  one.trans_a = d.sums;
  one.trans_b = d.trans_w;
  return one;
}

} // namespace

void zrt::runGroupedMatmul(const zrt_grouped_desc &d, const void *x, void *y,
                           const int32_t *offsets, void *const *w, Team &team,
                           Kernel16 kernel) {
  const double work = double(d.rows) * double(d.n) * double(d.k);
  const int parts = teamFor(work, team);
  const uint64_t xBytes = uint64_t(d.k) * dtypeBytes(d.x.dtype),
                 yBytes = uint64_t(d.n) * dtypeBytes(d.y.dtype);
  const auto computeParts = [&](int64_t first, int64_t last) {
    for (int64_t part = first; part < last; ++part) {
      int64_t begin = 0;
      for (uint32_t g = 0; g < d.groups; ++g) {
        const Rows rows = rowsOf(d, offsets, g, begin);
        begin += rows.count;
        const auto *a =
            static_cast<const std::byte *>(x) + uint64_t(rows.begin) * xBytes;
        auto *ofY = static_cast<std::byte *>(y) + uint64_t(rows.begin) * yBytes;
        runPartOfMatmul(productOf(d, g, rows.count), a, d.sums ? ofY : w[g],
                        d.sums ? w[g] : ofY, int((part + g) % parts), parts,
                        kernel);
      }
    }
  };
  team.parallelFor(parts, computeParts, parts);
}
