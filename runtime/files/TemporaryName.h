//===- TemporaryName.h - Names of unfinished files --------------*- C++ -*-===//
//
//   .NAME.<16 random digits>.zrt       a file or folder that will become NAME
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/text/Error.h"

#include <optional>
#include <string>
#include <string_view>
#include <sys/random.h>

namespace zrt {

/// Returns 16 random hexadecimal digits.  Throws zrt::Error.
inline std::string randomDigits() {
  uint64_t number = 0;
  if (getrandom(&number, sizeof(number), 0) != sizeof(number))
    fail("the system gives no random numbers: {}", errnoText());
  return fmt::format("{:016x}", number);
}

/// Returns a new name for what will become `name`.  Throws zrt::Error.
inline std::string temporaryName(std::string_view name) {
  return fmt::format(".{}.{}.zrt", name, randomDigits());
}

/// Returns NAME of a temporary name; nullopt for other names.
inline std::optional<std::string_view> nameOfTemporary(std::string_view text) {
  constexpr std::string_view kEnding = ".zrt";
  constexpr size_t kDigits = 16, kRest = 1 + kDigits + kEnding.size();
  if (text.size() <= 1 + kRest || text[0] != '.' || !text.ends_with(kEnding))
    return std::nullopt;
  const std::string_view rest = text.substr(text.size() - kRest);
  if (rest[0] != '.' ||
      rest.find_first_not_of("0123456789abcdef", 1) != 1 + kDigits)
    return std::nullopt;
  return text.substr(1, text.size() - kRest - 1);
}

} // namespace zrt
