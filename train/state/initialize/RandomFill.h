//===- RandomFill.h - Initial values of a parameter -------------*- C++ -*-===//
//
// An initial value depends on (seed, parameter name, element index) only, and
// has the same bits on every machine and for every layout.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"

#include <cstdint>
#include <string_view>

namespace zrt {

/// Writes the elements [first, first + count) of parameter `name` to `out`.
void fillInitial(const zrt_init &init, uint64_t seed, std::string_view name,
                 uint64_t first, uint64_t count, float *out);

/// The same values, widened: an f64 model starts with the values of its f32
/// counterpart.
void fillInitial(const zrt_init &init, uint64_t seed, std::string_view name,
                 uint64_t first, uint64_t count, double *out);

} // namespace zrt
