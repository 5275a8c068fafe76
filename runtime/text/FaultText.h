//===- FaultText.h - Parses faults that tests request ---------------------===//
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace zrt {

/// Returns the number after the last `mark` in `text` and removes both from it.
/// Returns `otherwise` if there is no mark, nullopt if no number follows it.
inline std::optional<uint64_t> takeNumber(std::string_view &text, char mark,
                                          uint64_t otherwise) {
  const size_t at = text.rfind(mark);
  if (at == std::string_view::npos)
    return otherwise;
  uint64_t value = 0;
  const char *end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + at + 1, end, value);
  if (error != std::errc() || stop != end)
    return std::nullopt;
  text = text.substr(0, at);
  return value;
}

} // namespace zrt
