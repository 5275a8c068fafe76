//===- RankedSum.h - Sums in rank order -------------------------*- C++ -*-===//
#pragma once

#include "runtime/zrt.h"

#include <cstddef>

namespace zrt {

/// result[i] = scale * (sources[0][i] + sources[1][i] + ...), `count` elements
/// added in this order and each operation rounded to f32; with `accumulate` the
/// old result[i] is added last.  `result` may be one of the sources.
///
/// Both types are f32; or `from` is bf16 or f16, and `to` is the same or f32:
/// then elements are widened before they are added, the old result too, and a
/// result of 16 bits is rounded once.
void rankedSum(const std::byte *const *sources, size_t sourceCount,
               zrt_dtype from, size_t count, float scale, bool accumulate,
               zrt_dtype to, std::byte *result);

} // namespace zrt
