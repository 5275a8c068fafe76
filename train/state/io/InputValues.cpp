//===- InputValues.cpp - The valid values of a plan's inputs --------------===//
#include "train/state/io/InputValues.h"

#include "runtime/numbers/Shape.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <string_view>
#include <utility>

using namespace zrt;

bool zrt::mayHold(const zrt_input &input, int64_t value) {
  if (input.bound > 0)
    return (value >= 0 && value < input.bound) || value == input.ignored;
  return input.dtype == ZRT_I64 || (value >= INT32_MIN && value <= INT32_MAX);
}

std::optional<int64_t> zrt::ignoredValue(const zrt_input &input) {
  if (input.bound <= 0 || (input.ignored >= 0 && input.ignored < input.bound))
    return std::nullopt;
  return input.ignored;
}

std::string zrt::allowedText(const zrt_input &input) {
  if (input.bound <= 0)
    return fmt::format("what fits input \"{}\", i32", input.name);
  std::string text = fmt::format("0 to {}", input.bound - 1);
  if (const auto ignored = ignoredValue(input))
    text += fmt::format(" or {}", *ignored);
  return text + fmt::format(", the vocabulary of input \"{}\"", input.name);
}

void zrt::putInteger(const zrt_input &input, std::byte *to, uint64_t i,
                     int64_t value) {
  if (input.dtype == ZRT_I64) {
    std::memcpy(to + i * sizeof(value), &value, sizeof(value));
    return;
  }
  const auto narrow = static_cast<int32_t>(value);
  std::memcpy(to + i * sizeof(narrow), &narrow, sizeof(narrow));
}

bool zrt::areWeights(const zrt_input &input) {
  return input.dtype == ZRT_F32 && input.rank == 2 &&
         std::string_view(input.name) == "token_weights";
}

bool zrt::areStarts(const zrt_input &input) {
  return input.dtype == ZRT_I32 && input.rank == 2 &&
         std::string_view(input.name) == "starts";
}

std::string zrt::problemWith(const zrt_input &input, int64_t value,
                             uint64_t at) {
  if (!mayHold(input, value))
    return fmt::format(", which is not {}", allowedText(input));
  if (areStarts(input) && std::cmp_greater(value, at))
    return fmt::format(" at position {}, and what a position reads starts "
                       "there or before",
                       at);
  return "";
}

std::string zrt::problemWith(const zrt_input &input, float value) {
  return areWeights(input) && !(value >= 0 && std::isfinite(value))
             ? ", and the weight of a target is finite and not negative"
             : "";
}

std::vector<int64_t> zrt::sampleShape(const zrt_input &input) {
  return {input.shape + 1, input.shape + input.rank};
}

uint64_t zrt::sampleElements(const zrt_input &input) {
  return countedElements(sampleShape(input));
}
