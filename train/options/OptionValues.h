//===- OptionValues.h - Parses the values of options ------------*- C++ -*-===//
#pragma once

#include "train/options/Options.h"

#include <array>
#include <charconv>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace zrt {

template <typename... Args>
[[noreturn]] void usage(fmt::format_string<Args...> format, Args &&...args) {
  throw UsageError(fmt::format(format, std::forward<Args>(args)...));
}

/// The spellings of an option's values, and their meanings.
template <typename T, size_t N>
using Choices = std::array<std::pair<const char *, T>, N>;

template <typename T, size_t N>
const char *nameIn(const Choices<T, N> &choices, T wanted) {
  for (const auto &[name, meaning] : choices)
    if (meaning == wanted)
      return name;
  return "?";
}

template <typename T, size_t N>
T choose(const char *option, const std::string &value,
         const Choices<T, N> &choices) {
  std::string names;
  for (const auto &[name, meaning] : choices) {
    if (value == name)
      return meaning;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  usage("{}={} is unknown; choose one of {}", option, value, names);
}

/// Reads a number of type T.  CLI11 would read 010 as eight and -1 as a large
/// seed.
template <typename T>
T number(const char *option, const std::string &text, const char *kind) {
  T value = {};
  const char *end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end)
    usage("{} must be {}, got {}", option, kind, text);
  return value;
}

inline int64_t readCount(const char *option, const std::string &text,
                         int64_t most) {
  const auto value = number<int64_t>(option, text, "a whole number");
  if (value < 0)
    usage("{} must not be negative, got {}", option, value);
  if (value > most)
    usage("{} must be at most {}, got {}", option, most, value);
  return value;
}

} // namespace zrt
