//===- HalfArrays.h - Converts arrays of 16-bit floats and f32 --*- C++ -*-===//
#pragma once

#include "abi/zrt.h"

#include <cstddef>

namespace zrt {

/// Returns true for bf16 and f16.
constexpr bool is16Bits(zrt_dtype dtype) {
  return dtype == ZRT_BF16 || dtype == ZRT_F16;
}
/// Returns true for the types that `widen` and `narrow` convert: bf16, f16,
/// f32.
constexpr bool isConvertible(zrt_dtype dtype) {
  return is16Bits(dtype) || dtype == ZRT_F32;
}

/// Sets to[i] = from[i] for `count` numbers of `dtype`: bf16, f16 or f32.
void widen(const void *from, zrt_dtype dtype, size_t count, float *to);

/// Sets to[i] = from[i], rounded to `dtype`: bf16, f16 or f32.
void narrow(const float *from, size_t count, zrt_dtype dtype, void *to);

} // namespace zrt
