//===- RankedSum.cpp - Sums in rank order ---------------------------------===//
//
// A block at a time, so that the running sum stays in the first-level cache and
// every source is read from memory once.  Elements do not depend on each other:
// neither blocks nor vectors change a bit.  (This file is compiled with
// -ffp-contract=off: scale and old value must not become one FMA.)
//
//===----------------------------------------------------------------------===//
#include "runtime/transport/RankedSum.h"

#include "runtime/Vocabulary.h"
#include "runtime/core/Clones.h"
#include "runtime/core/HalfArrays.h"

#include <algorithm>

using namespace zrt;

namespace {

constexpr size_t kBlock = 2048; // 8 KiB of f32

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

const float *floatsOf(const std::byte *bytes) {
  return reinterpret_cast<const float *>(bytes);
}

void sumFloats(const std::byte *const *sources, size_t sourceCount,
               size_t count, float scale, bool accumulate, float *result) {
  alignas(64) float sum[kBlock];
  if (sourceCount == 1)
    std::fill_n(sum, kBlock, -0.0f); // adding it changes nothing
  for (size_t begin = 0; begin < count; begin += kBlock) {
    const size_t size = std::min(kBlock, count - begin);
    const float *partial = floatsOf(sources[0]) + begin;
    for (size_t source = 1; source + 1 < sourceCount; ++source) {
      add(partial, floatsOf(sources[source]) + begin, size, sum);
      partial = sum;
    }
    const float *last =
        sourceCount == 1 ? sum : floatsOf(sources[sourceCount - 1]) + begin;
    (accumulate ? finishOnto : finish)(partial, last, size, scale,
                                       result + begin);
  }
}

} // namespace

void zrt::rankedSum(const std::byte *const *sources, size_t sourceCount,
                    zrt_dtype from, size_t count, float scale, bool accumulate,
                    zrt_dtype to, std::byte *result) {
  if (from == ZRT_F32)
    return sumFloats(sources, sourceCount, count, scale, accumulate,
                     reinterpret_cast<float *>(result));
  // A block of the sum, of one source, and of a result before it is rounded.
  alignas(64) float sum[kBlock], term[kBlock], exact[kBlock];
  for (size_t begin = 0; begin < count; begin += kBlock) {
    const size_t size = std::min(kBlock, count - begin);
    const auto read = [&](size_t source, float *block) {
      widen(sources[source] + begin * dtypeBytes(from), from, size, block);
    };
    read(0, sum);
    for (size_t source = 1; source + 1 < sourceCount; ++source) {
      read(source, term);
      add(sum, term, size, sum);
    }
    if (sourceCount == 1)
      std::fill_n(term, size, -0.0f);
    else
      read(sourceCount - 1, term);
    std::byte *const target = result + begin * dtypeBytes(to);
    if (to == ZRT_F32) {
      (accumulate ? finishOnto : finish)(sum, term, size, scale,
                                         reinterpret_cast<float *>(target));
    } else {
      if (accumulate)
        widen(target, to, size, exact);
      (accumulate ? finishOnto : finish)(sum, term, size, scale, exact);
      narrow(exact, size, to, target);
    }
  }
}
