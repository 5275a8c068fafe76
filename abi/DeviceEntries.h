//===- DeviceEntries.h - Names of entries of device images ------*- C++ -*-===//
//
// The compiler names the entries of an image; the runtime finds the kernels
// that have no twin by these names (zrt_device_kernel, ZrtStructs.def).  Types
// are spelled as in ElementTypes.def, packings as nf4 and int8.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace zrt {

/// Prefixes of kernels with the same bits as their twins on processors, and of
/// kernels that only come close to them: they round intermediate numbers to 16
/// bits, as tensor cores do.
constexpr std::string_view kExactEntry = "zk_", kRoundingEntry = "zr_";

/// Joins the parts of a name: "zrt_squares", "f32" -> "zrt_squares_f32".
template <typename... Parts>
std::string joinEntry(std::string name, const Parts &...parts) {
  ((name += '_', name += parts), ...);
  return name;
}

inline std::string squaresEntry(std::string_view type) {
  return joinEntry("zrt_squares", type);
}
inline std::string rankedSumEntry(std::string_view from, std::string_view to) {
  return joinEntry("zrt_ranked_sum", from, to);
}
inline std::string unpackEntry(std::string_view packing,
                               std::string_view type) {
  return joinEntry("zrt_unpack", packing, type);
}
inline std::string widenEntry(std::string_view type) {
  return joinEntry("zrt_widen", type);
}

/// The beginning of the names of groupedEntry.
constexpr std::string_view kGroupedEntry = "zrt_grouped_";
inline std::string groupedEntry(std::string_view from, std::string_view to,
                                bool sums, bool transW, int64_t groups,
                                int64_t n, int64_t k) {
  return std::string(kGroupedEntry) +
         joinEntry(std::string(from), to,
                   sums     ? "sums"
                   : transW ? "xwt"
                            : "xw",
                   std::to_string(groups) + "x" + std::to_string(n) + "x" +
                       std::to_string(k));
}

} // namespace zrt
