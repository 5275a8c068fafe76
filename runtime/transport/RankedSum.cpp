//===- RankedSum.cpp - Sums in rank order ---------------------------------===//
//
// A block at a time, so that the running sum stays in the first-level cache and
// every source is read from memory once.  Elements do not depend on each other:
// neither blocks nor vectors change a bit.  (This file is compiled with
// -ffp-contract=off: scale and old value must not become one FMA.)
//
//===----------------------------------------------------------------------===//
#include "runtime/transport/RankedSum.h"

#include "runtime/cpu/Clones.h"

#include <algorithm>

using namespace zrt;

namespace {

constexpr size_t kBlock = 2048; // 8 KiB

/// All of them work on one block; `sum` is local and overlaps nothing.
ZRT_CLONES void addTwo(const float *a, const float *b, size_t count,
                       float *__restrict sum) {
  for (size_t i = 0; i < count; ++i)
    sum[i] = a[i] + b[i];
}

ZRT_CLONES void addOne(const float *a, size_t count, float *__restrict sum) {
  for (size_t i = 0; i < count; ++i)
    sum[i] += a[i];
}

ZRT_CLONES void finish(const float *__restrict sum, size_t count, float scale,
                       float *__restrict result) {
  for (size_t i = 0; i < count; ++i)
    result[i] = sum[i] * scale;
}

ZRT_CLONES void finishOnto(const float *__restrict sum, size_t count,
                           float scale, float *__restrict result) {
  for (size_t i = 0; i < count; ++i) {
    const float scaled = sum[i] * scale;
    result[i] = scaled + result[i];
  }
}

/// Two ranks, the usual case, need no running sum.  `result` may be one of
/// them: the iterations are independent all the same.
ZRT_CLONES void scaledSum(const float *a, const float *b, size_t count,
                          float scale, float *result) {
#pragma clang loop vectorize(assume_safety)
  for (size_t i = 0; i < count; ++i)
    result[i] = (a[i] + b[i]) * scale;
}

} // namespace

void zrt::rankedSum(const float *const *sources, size_t sourceCount,
                    size_t count, float scale, bool accumulate, float *result) {
  if (sourceCount == 2 && !accumulate)
    return scaledSum(sources[0], sources[1], count, scale, result);
  alignas(64) float sum[kBlock];
  for (size_t begin = 0; begin < count; begin += kBlock) {
    const size_t size = std::min(kBlock, count - begin);
    if (sourceCount == 1)
      std::copy_n(sources[0] + begin, size, sum);
    else
      addTwo(sources[0] + begin, sources[1] + begin, size, sum);
    for (size_t source = 2; source < sourceCount; ++source)
      addOne(sources[source] + begin, size, sum);
    (accumulate ? finishOnto : finish)(sum, size, scale, result + begin);
  }
}
