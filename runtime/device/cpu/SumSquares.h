//===- SumSquares.h - One block's sum of squares ----------------*- C++ -*-===//
#pragma once

#include "runtime/zrt.h"

#include <cstddef>

namespace zrt {

/// The sum of the squares of `count` values, in f64 and in an order that
/// depends on `count` alone.
double sumSquares(const float *values, size_t count);

/// The same of values of `dtype`: f32, bf16 or f16.
double sumSquares(const std::byte *values, zrt_dtype dtype, size_t count);

} // namespace zrt
