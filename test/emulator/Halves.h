//===- Halves.h - Numbers of 16 bits ----------------------------*- C++ -*-===//
#pragma once

#include <cstdint>

namespace zge {

/// What the bits of a number of `type` (zge_type) are.
float widen16(uint32_t type, uint16_t bits);
/// The bits of the nearest number of `type`, the even one of two; 0x7fff for NaN.
uint16_t round16(uint32_t type, float number);

} // namespace zge
