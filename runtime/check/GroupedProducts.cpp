//===- GroupedProducts.cpp - Compares grouped products --------------------===//
#include "runtime/check/GroupedProducts.h"

#include "runtime/PlanTable.h"

#include <cstring>

using namespace zrt;
using namespace zrt::check;

bool check::isResult(const zrt_grouped_desc &desc, uint64_t offset) {
  if (!desc.sums)
    return offset == desc.y.ref.offset;
  for (uint32_t g = 0; g < desc.groups; ++g)
    if (offset == desc.w[g].ref.offset)
      return true;
  return false;
}

Difference check::compareGroups(
    const zrt_grouped_desc &d, const zrt_ref &result,
    const std::function<const std::byte *(const zrt_ref &)> &at,
    const std::byte *found) {
  std::vector<int32_t> offsets(d.groups + 1);
  std::memcpy(offsets.data(), at(d.offsets.ref),
              offsets.size() * sizeof(int32_t));
  Difference all;
  for (uint32_t g = 0; g < d.groups; ++g) {
    const int64_t first = offsets[g], rows = offsets[g + 1] - first;
    const std::byte *x =
        at(d.x.ref) + uint64_t(first * d.k) * dtypeBytes(d.x.dtype);
    const uint64_t y = uint64_t(first * d.n) * dtypeBytes(d.y.dtype);
    zrt_matmul_desc one = {};
    one.batch = 1;
    one.n = d.n;
    one.a = d.x;
    if (!d.sums) {
      one.m = rows;
      one.k = d.k;
      one.trans_b = d.trans_w;
      one.b = d.w[g];
      one.c = d.y;
      all.add(compareProducts(one, {x, at(d.w[g].ref), nullptr}, found + y,
                              at(d.y.ref) + y));
    } else if (d.w[g].ref.offset == result.offset) {
      one.m = d.k;
      one.k = rows;
      one.trans_a = 1;
      one.b = d.y;
      one.c = d.w[g];
      all.add(compareProducts(one, {x, at(d.y.ref) + y, nullptr}, found,
                              at(d.w[g].ref)));
    }
  }
  return all;
}
