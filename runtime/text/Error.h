//===- Error.h - The exception class of the runtime -------------*- C++ -*-===//
//
// Inside the runtime a failure is an exception whose text is the whole message:
// the fact with its numbers, then the fix; lower case, no final period.  It is
// caught at the C ABI (and latched in the context) or in main() (and printed).
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace zrt {

class Error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

template <typename... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args &&...args) {
  throw Error(fmt::format(format, std::forward<Args>(args)...));
}

/// Returns the text of an errno value in our style: "no space left on device".
inline std::string errnoText(int number = errno) {
  std::string text = std::strerror(number);
  // Lowers the first letter of "Is a directory", but keeps "RPC ...".
  if (text.size() > 1 && text[1] >= 'a' && text[1] <= 'z' && text[0] >= 'A' &&
      text[0] <= 'Z')
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return text;
}

/// Makes foreign text fit for a message: escapes everything but printable
/// ASCII, and cuts the text after 80 bytes.
inline std::string shown(std::string_view text) {
  constexpr size_t kMaxLetters = 80;
  std::string result;
  for (const char c : text.substr(0, kMaxLetters)) {
    const auto byte = static_cast<unsigned char>(c);
    result += byte < 0x20 || byte >= 0x7f ? fmt::format("\\x{:02x}", byte)
                                          : std::string(1, c);
  }
  return text.size() > kMaxLetters ? result + "..." : result;
}

} // namespace zrt
