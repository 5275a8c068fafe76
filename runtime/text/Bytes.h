//===- Bytes.h - Rounds numbers of bytes, and formats them ------*- C++ -*-===//
#pragma once

#include "abi/Counts.h"

#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <string>

namespace zrt {

/// Returns the least multiple of `unit` that is not below `bytes`.
constexpr uint64_t roundUp(uint64_t bytes, uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// Returns e.g. "1.5 MiB"; below 1 KiB "1 byte" and the like.
inline std::string withUnit(uint64_t bytes) {
  static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024)
    return plural(bytes, "byte");
  double value = double(bytes) / 1024;
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit)
    value /= 1024;
  return fmt::format("{:.1f} {}", value, units[unit]);
}

/// Formats bytes for a message: "20 bytes", "319,488 bytes (312.0 KiB)".
inline std::string shownBytes(uint64_t bytes) {
  return bytes < 1024
             ? withUnit(bytes)
             : fmt::format("{} bytes ({})", withCommas(bytes), withUnit(bytes));
}

} // namespace zrt
