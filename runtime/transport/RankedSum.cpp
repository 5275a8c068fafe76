//===- RankedSum.cpp - Sums in rank order ---------------------------------===//
//
// A block at a time, so that the running sum stays in the first-level cache and
// every source is read from memory once.  Elements do not depend on each other:
// neither blocks nor vectors change a bit.  (This file is compiled with
// -ffp-contract=off: scale and old value must not become one FMA.)
//
//===----------------------------------------------------------------------===//
#include "runtime/transport/RankedSum.h"

#include "runtime/core/Clones.h"

#include <algorithm>

using namespace zrt;

namespace {

constexpr size_t kBlock = 2048; // 8 KiB

// Iterations are independent also where the target is one of the operands.

ZRT_CLONES void add(const float *a, const float *b, size_t count, float *sum) {
#pragma clang loop vectorize(assume_safety)
  for (size_t i = 0; i < count; ++i)
    sum[i] = a[i] + b[i];
}

ZRT_CLONES void finish(const float *sum, const float *last, size_t count,
                       float scale, float *result) {
#pragma clang loop vectorize(assume_safety)
  for (size_t i = 0; i < count; ++i)
    result[i] = (sum[i] + last[i]) * scale;
}

ZRT_CLONES void finishOnto(const float *sum, const float *last, size_t count,
                           float scale, float *result) {
#pragma clang loop vectorize(assume_safety)
  for (size_t i = 0; i < count; ++i) {
    const float scaled = (sum[i] + last[i]) * scale;
    result[i] = scaled + result[i];
  }
}

} // namespace

void zrt::rankedSum(const float *const *sources, size_t sourceCount,
                    size_t count, float scale, bool accumulate, float *result) {
  alignas(64) float sum[kBlock];
  if (sourceCount == 1)
    std::fill_n(sum, kBlock, -0.0f); // adding it changes nothing
  for (size_t begin = 0; begin < count; begin += kBlock) {
    const size_t size = std::min(kBlock, count - begin);
    const float *partial = sources[0] + begin;
    for (size_t source = 1; source + 1 < sourceCount; ++source) {
      add(partial, sources[source] + begin, size, sum);
      partial = sum;
    }
    const float *last =
        sourceCount == 1 ? sum : sources[sourceCount - 1] + begin;
    (accumulate ? finishOnto : finish)(partial, last, size, scale,
                                       result + begin);
  }
}
