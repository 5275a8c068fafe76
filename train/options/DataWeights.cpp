//===- DataWeights.cpp - Parses --data-weights ----------------------------===//
//
// Weights are read as decimal numbers: 0.7 and 0.3 are exactly 7 and 3, so that
// the order of samples is the same on every machine.
//
//===----------------------------------------------------------------------===//
#include "train/options/Options.h"

#include "train/options/CommandLine.h"
#include "train/state/io/SampleMix.h"

#include <algorithm>
#include <numeric>
#include <string_view>

using namespace zrt;

namespace {

constexpr const char *kOption = "--data-weights";
constexpr size_t kMaxDigits = 18; ///< of a uint64_t

/// 0.70 is 7 x 10^-1.
struct Decimal {
  uint64_t digits;
  size_t places;
};

std::vector<std::string_view> splitAtCommas(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(',');
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos)
      return parts;
    text.remove_prefix(end + 1);
  }
}

Decimal readDecimal(std::string_view part) {
  const size_t point = std::min(part.find('.'), part.size());
  std::string digits(part.substr(0, point));
  std::string_view places = part.substr(std::min(point + 1, part.size()));
  while (!places.empty() && places.back() == '0')
    places.remove_suffix(1);
  digits += places;
  digits.erase(0, digits.find_first_not_of('0'));
  if (part.find_first_not_of("0123456789.") != std::string_view::npos ||
      part.find_first_of("0123456789") == std::string_view::npos ||
      places.find('.') != std::string_view::npos)
    usage("{} must be numbers above 0 with commas between, as 0.7,0.2,0.1; got "
          "\"{}\"",
          kOption, part);
  if (digits.empty())
    usage("{}: a weight must be above 0, got {}; leave that source out",
          kOption, part);
  if (std::max(digits.size(), places.size()) > kMaxDigits)
    usage("{}: {} has too many digits; round it", kOption, part);
  return {number<uint64_t>(kOption, digits, "numbers above 0"), places.size()};
}

[[noreturn]] void failTooLarge(const std::string &text) {
  usage("{}={}: as whole numbers without a common factor they sum up to more "
        "than {}; round them",
        kOption, text, SampleMix::kMaxSum);
}

} // namespace

std::vector<uint64_t> zrt::readWeights(const std::string &text) {
  std::vector<Decimal> decimals;
  size_t places = 0;
  for (const std::string_view part : splitAtCommas(text)) {
    decimals.push_back(readDecimal(part));
    places = std::max(places, decimals.back().places);
  }
  std::vector<uint64_t> weights;
  for (auto [weight, own] : decimals) {
    for (; own < places; ++own)
      if (__builtin_mul_overflow(weight, uint64_t{10}, &weight))
        failTooLarge(text);
    weights.push_back(weight);
  }
  uint64_t common = 0, sum = 0;
  for (const uint64_t weight : weights)
    common = std::gcd(common, weight);
  for (uint64_t &weight : weights) {
    weight /= common;
    if (__builtin_add_overflow(sum, weight, &sum) || sum > SampleMix::kMaxSum)
      failTooLarge(text);
  }
  return weights;
}
