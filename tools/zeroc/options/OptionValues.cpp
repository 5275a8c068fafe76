//===- OptionValues.cpp - The values that an option accepts ---------------===//

#include "tools/zeroc/options/OptionValues.h"

#include "abi/ByteUnits.h"
#include "dialect/zero/PlanOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
namespace zero = mlir::zero;
using zero::Values;

static Error refuse(const Twine &range, StringRef text) {
  return createStringError("must be " + range + ", got " +
                           (text.empty() ? "nothing" : text));
}

static Error readNumber(double &target, StringRef text, double low, double high,
                        StringRef range) {
  double parsed;
  if (text.getAsDouble(parsed) || !(parsed >= low) || !(parsed <= high))
    return refuse(range, text);
  // What is computed is f32, in which it would not be what was asked for.
  if (parsed != 0 && static_cast<float>(parsed) == 0)
    return createStringError("must be 0, or at least 1e-37, got " + text +
                             ", which is 0 in f32");
  target = parsed;
  return Error::success();
}

Values zero::number(double &target, double low, double high, StringRef range) {
  return {[=, &target](StringRef text) {
            return readNumber(target, text, low, high, range);
          },
          zero::optionText(target)};
}

Values zero::decays(double &first, double &second) {
  auto read = [&first, &second](StringRef text) {
    constexpr StringLiteral kRange = "two numbers from 0 to below 1, as in "
                                     "0.9,0.95";
    if (!text.contains(','))
      return refuse(kRange, text);
    auto [a, b] = text.split(',');
    if (Error error = readNumber(first, a, 0, 0.9999999, kRange))
      return error;
    return readNumber(second, b, 0, 0.9999999, kRange);
  };
  return {read, zero::optionText(first) + "," + zero::optionText(second)};
}

Values zero::count(int64_t &target, int64_t low, int64_t high,
                   const Twine &range) {
  auto read = [=, &target, range = range.str()](StringRef text) -> Error {
    int64_t parsed;
    if (text.getAsInteger(10, parsed) || parsed < low || parsed > high)
      return refuse(range, text);
    target = parsed;
    return Error::success();
  };
  return {read, std::to_string(target)};
}

Values zero::bytes(int64_t &target, int64_t low, StringRef otherwise) {
  auto read = [=, &target](StringRef text) -> Error {
    StringRef digits = text;
    int64_t unit = 1, parsed;
    for (auto [suffix, size] : zrt::kByteUnits)
      if (unit == 1 && digits.consume_back(suffix))
        unit = static_cast<int64_t>(size);
    constexpr int64_t kMaxBytes = int64_t(1) << 50;
    if (digits.getAsInteger(10, parsed) || parsed < low ||
        parsed > kMaxBytes / unit)
      return refuse("a number of bytes from " + Twine(low) +
                        " on, as in 4096, 64KiB, 25MiB, 2GiB or 80GB",
                    text);
    target = parsed * unit;
    return Error::success();
  };
  std::string shown = std::to_string(target);
  for (auto [suffix, size] : reverse(zrt::kByteUnits))
    if (auto unit = static_cast<int64_t>(size);
        suffix.ends_with("iB") && target && target % unit == 0)
      shown = (Twine(target / unit) + suffix).str();
  return {read, otherwise.empty() ? shown : otherwise.str()};
}

Values zero::choice(ArrayRef<StringRef> words,
                    std::function<void(StringRef)> store, StringRef shown) {
  SmallVector<StringRef> known(words);
  auto read = [known, store = std::move(store)](StringRef text) -> Error {
    if (!is_contained(known, text))
      return refuse(join(ArrayRef(known).drop_back(), ", ") + " or " +
                        known.back(),
                    text);
    store(text);
    return Error::success();
  };
  return {read, shown.str()};
}

Values zero::text(std::string &target, ArrayRef<StringRef> words) {
  auto store = [&target](StringRef text) { target = text.str(); };
  if (!words.empty())
    return choice(words, store, target);
  auto read = [store](StringRef text) -> Error {
    if (text.empty())
      return createStringError("is empty; give it a value");
    store(text);
    return Error::success();
  };
  return {read, target};
}

Values zero::orAuto(Values values, bool &isAuto) {
  auto read = [&isAuto, inner = std::move(values.read)](StringRef text) {
    isAuto = text == "auto";
    return isAuto ? Error::success() : inner(text);
  };
  return {read, std::move(values.otherwise)};
}
