//===- DeviceEntries.h - Prefixes of device entry names ---------*- C++ -*-===//
//
// The compiler names the entries, and --device-check reads the names.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string_view>

namespace zrt {

/// Prefixes of kernels with the same bits as their twins on processors, and of
/// kernels that only come close to them: they round intermediate numbers to 16
/// bits, as tensor cores do.
constexpr std::string_view kExactEntry = "zk_", kRoundingEntry = "zr_";

} // namespace zrt
