//===- GroupedMatmul.cpp - Products with a matrix for each group ----------===//
//
// The number of rows of each group is known only at run time.  Whole groups
// would give threads unequal work, so every thread computes a part of each
// group's product, without waiting between groups.  Small products have fewer
// parts than there are threads, so the assignment of parts rotates with the
// group.
//
//             group 0    group 1   group 2
//   thread 0  part 0     part 1    part 0
//   thread 1  part 1     part 0    part 1
//
//===----------------------------------------------------------------------===//
#include "runtime/device/cpu/Matmul.h"

#include "runtime/plan/Vocabulary.h"

#include <algorithm>
#include <cstddef>

using namespace zrt;

namespace {

/// The rows of a group.
struct Rows {
  int64_t begin, count;
};

/// Returns the rows of group `g`, the first of which is `begin`.  Offsets that
/// do not rise to the number of rows are invalid; even then each row is in
/// exactly one group.
Rows rowsOf(const zrt_grouped_desc &d, const int32_t *offsets, uint32_t g,
            int64_t begin) {
  const int64_t end = g + 1 == d.groups
                          ? d.rows
                          : std::clamp<int64_t>(offsets[g + 1], begin, d.rows);
  return {begin, end - begin};
}

/// Returns the product of group `g`, which has `rows` rows.
zrt_matmul_desc productOf(const zrt_grouped_desc &d, uint32_t g, int64_t rows) {
  zrt_matmul_desc one = {};
  one.scale = 1;
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
