//===- Checksum.h - Sums that show a changed bit ----------------*- C++ -*-===//
//
// The checksum of an array of 16-bit or 32-bit elements is
//
//   sum over i of (bits of element i) x m(i)   modulo 2^64
//
// where i is the place of the element and m(i) a number below 2^32, never 0,
// and another one for each of 2^31 places.  So
//
//   * any change of one element changes the sum: the difference is below 2^64
//     and not 0;
//   * elements that change places change it;
//   * sums of parts add up to that of the whole, in any order; zeros add 0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>

namespace zrt {

/// Returns the sum of `count` elements of `bytes` (2 or 4) bytes each, the
/// first of which has the place `first`.
uint64_t checksum(const std::byte *values, uint64_t bytes, uint64_t count,
                  uint64_t first);

} // namespace zrt
