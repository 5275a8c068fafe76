//===- DeviceEntries.h - Names of entries of device images ------*- C++ -*-===//
//
// The compiler names them, and --device-check reads the names.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string_view>

namespace zrt {

/// Of kernels that have the bits of their twins on processors, and of those that are
/// near them: numbers pass through 16 bits there on the way, as on tensor cores.
constexpr std::string_view kExactEntry = "zk_", kRoundingEntry = "zr_";

} // namespace zrt
