//===- ByteUnits.h - Units of sizes in bytes --------------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <string_view>

namespace zrt {

struct ByteUnit {
  std::string_view name;
  uint64_t bytes;
};

/// The units that options of zeroc and of compiled programs accept.
inline constexpr ByteUnit kByteUnits[] = {
    {"TiB", uint64_t{1} << 40}, {"GiB", uint64_t{1} << 30},
    {"MiB", uint64_t{1} << 20}, {"KiB", uint64_t{1} << 10},
    {"TB", 1'000'000'000'000},  {"GB", 1'000'000'000},
    {"MB", 1'000'000},          {"KB", 1'000}};

} // namespace zrt
