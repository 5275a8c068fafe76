//===- SumSquares.h - The sum of squares of a block -------------*- C++ -*-===//
#pragma once

#include "abi/zrt.h"

#include <cstddef>

namespace zrt {

/// Returns the sum of the squares of `count` values, in f64 and in an order
/// that depends only on `count`.
double sumSquares(const float *values, size_t count);

/// The same for values of `dtype`: f32, bf16 or f16.
double sumSquares(const std::byte *values, zrt_dtype dtype, size_t count);

} // namespace zrt
