//===- Counts.h - Numbers of things, for messages ---------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace zrt {

/// Returns e.g. "1,234,567".
inline std::string withCommas(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t at = digits.size(); at > 3; at -= 3)
    digits.insert(at - 3, ",");
  return digits;
}

/// Returns e.g. "1 rank", "2 ranks"; `ending` is that of several.
inline std::string plural(uint64_t number, std::string_view what,
                          std::string_view ending = "s") {
  std::string text = withCommas(number).append(" ").append(what);
  return number == 1 ? text : text.append(ending);
}

} // namespace zrt
