//===- PlotScale.cpp - Maps values to pixels, and places ticks ------------===//
//
// A linear axis has ticks at i * m * 10^e for integer i and m of 1, 2 or 5.
// The product is computed from integers, and its label has the digits that e
// implies, so 0.1 + 0.2 is never printed.
//
//===----------------------------------------------------------------------===//
#include "tools/zeroc/PlotScale.h"

#include "passes/certify/Certificate.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::zero;

AxisRange zero::emptyRange() {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  return {kFar, -kFar};
}

void AxisRange::add(double value) {
  if (std::isnan(value))
    return;
  low = std::min(low, value);
  high = std::max(high, value);
}

AxisRange AxisRange::padded(double share) const {
  double size = std::max(std::abs(low), std::abs(high));
  // (Almost) equal values: their differences are only rounding errors.
  double least = size > 0 ? 1e-6 * size : 1;
  if (high - low < least) {
    double room = size > 0 ? 0.1 * size : 1;
    return {low - room, high + room};
  }
  double room = share * (high - low);
  return {low - room, high + room};
}

Scale::Scale(AxisRange range, bool isLog, double from, double to)
    : isLog(isLog), from(from) {
  low = isLog ? std::log10(range.low) : range.low;
  double high = isLog ? std::log10(range.high) : range.high;
  perUnit = (to - from) / (high - low);
}

double Scale::operator()(double value) const {
  return from + ((isLog ? std::log10(value) : value) - low) * perUnit;
}

//===----------------------------------------------------------------------===//
// Labels
//===----------------------------------------------------------------------===//

std::string zero::printed(const char *form, int digits, double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(form, digits, value);
  return text;
}

/// Formats a multiple of 10^exponent; the axis' `largest` value determines the
/// notation.
static std::string label(double value, int exponent, double largest) {
  if (value == 0)
    return "0";
  if (largest < 1e7 && (largest >= 0.05 || exponent >= -2)) {
    if (exponent >= 0)
      return groupDigits(std::llround(value));
    return printed("%.*f", -exponent, value);
  }
  // Shortens 1.50e-03 to 1.5e-3.
  int own = static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9));
  std::string text = printed("%.*e", std::max(0, own - exponent), value);
  auto [digits, power] = StringRef(text).split('e');
  if (digits.contains('.'))
    digits = digits.rtrim('0').rtrim('.');
  bool isSmall = power.starts_with("-");
  power = power.drop_front().ltrim('0');
  return (digits +
          Twine(power.empty() ? ""
                : isSmall     ? "e-"
                              : "e") +
          power)
      .str();
}

//===----------------------------------------------------------------------===//
// Ticks
//===----------------------------------------------------------------------===//

/// 10^exponent, as exactly as a double can represent it.
static double powerOfTen(int exponent) { return std::pow(10.0, exponent); }

std::vector<Tick> zero::linearTicks(AxisRange range, int wanted, bool isWhole) {
  double step = (range.high - range.low) / wanted;
  int exponent = static_cast<int>(std::floor(std::log10(step)));
  double digit = step / powerOfTen(exponent);
  int factor = digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10;
  if (factor == 10) {
    factor = 1;
    ++exponent;
  }
  if (isWhole && exponent < 0) {
    factor = 1;
    exponent = 0;
  }
  double power = powerOfTen(std::abs(exponent));
  auto valueOf = [&](double i) {
    return exponent < 0 ? i * factor / power : i * factor * power;
  };
  double unit = valueOf(1);
  double largest = std::max(std::abs(range.low), std::abs(range.high));
  std::vector<Tick> ticks;
  auto first = static_cast<int64_t>(std::ceil(range.low / unit - 1e-9)),
       last = static_cast<int64_t>(std::floor(range.high / unit + 1e-9));
  for (int64_t i = first; i <= last; ++i) {
    double value = valueOf(static_cast<double>(i));
    ticks.push_back({value, label(value, exponent, largest)});
  }
  return ticks;
}

std::vector<Tick> zero::logTicks(AxisRange range) {
  double low = std::log10(range.low), high = std::log10(range.high);
  double decades = high - low;
  // An axis of less than one decade may contain no power of ten.
  if (decades < 0.7)
    return linearTicks(range, 4);
  int every = std::max(1, static_cast<int>(std::ceil(decades / 6)));
  std::vector<Tick> ticks;
  for (int e = static_cast<int>(std::floor(low)); e <= high; ++e)
    for (int factor : {1, 2, 5}) {
      if (factor > 1 ? decades > 2.5 : e % every != 0)
        continue;
      double power = powerOfTen(std::abs(e));
      double value = e < 0 ? factor / power : factor * power;
      if (value < range.low || value > range.high)
        continue;
      // Formatted individually, since their magnitudes differ.
      std::string text = e < -3 || e > 4 ? label(value, e, /*largest=*/1e9)
                                         : label(value, e, /*largest=*/1);
      ticks.push_back({value, text});
    }
  return ticks;
}
