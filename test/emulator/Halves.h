//===- Halves.h - Numbers of 16 bits ----------------------------*- C++ -*-===//
#pragma once

#include <cstdint>

namespace zge {

/// Returns the number of `type` (zge_type) with these bits.
float widen16(uint32_t type, uint16_t bits);
/// Returns the bits of the nearest number of `type`, ties to even; 0x7fff for
/// NaN.
uint16_t round16(uint32_t type, float number);

} // namespace zge
