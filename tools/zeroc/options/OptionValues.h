//===- OptionValues.h - The values that an option accepts -----------------===//
#pragma once

#include "dialect/zero/PlanOptions.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <string>

namespace mlir::zero {

/// The values of an option.
struct Values {
  /// Stores what the text says.  The error goes on from the option's name, as
  /// in "must be 0, 1, 2 or 3, got 4".
  std::function<llvm::Error(llvm::StringRef text)> read;
  /// The default as a user would type it, or "".
  std::string otherwise;

  /// The same with the default in words; "" for none.
  Values showing(llvm::StringRef words) const { return {read, words.str()}; }
};

/// These store what they read in `target`, which has the default.  `range` is
/// what lies from `low` to `high`, in words.
Values number(double &target, double low, double high, llvm::StringRef range);
/// "0.9,0.95", both from 0 to below 1.
Values decays(double &first, double &second);
Values count(int64_t &target, int64_t low, int64_t high,
             const llvm::Twine &range);
/// "4096", "64KiB", "25MiB", "80GB" (10^9 each); `otherwise` is the default in
/// words, where that is no number of bytes.
Values bytes(int64_t &target, int64_t low, llvm::StringRef otherwise = "");
/// One of `words`; any text but "" if there are none.
Values text(std::string &target, llvm::ArrayRef<llvm::StringRef> words = {});
Values choice(llvm::ArrayRef<llvm::StringRef> words,
              std::function<void(llvm::StringRef)> store,
              llvm::StringRef shown);
/// One word of an enumeration of a plan's options.
template <typename Enum>
Values choice(Enum &target, llvm::StringRef shown) {
  llvm::SmallVector<llvm::StringRef> words;
  for (llvm::StringRef word : getWords(target))
    if (!word.empty())
      words.push_back(word);
  auto store = [&target](llvm::StringRef word) {
    target = *parseWord<Enum>(word);
  };
  return choice(words, store, shown.empty() ? stringify(target) : shown);
}
/// These values, or "auto", which sets `isAuto`.
Values orAuto(Values values, bool &isAuto);
/// `word`, or true, once it is there.
template <typename T>
Values given(T &target, std::type_identity_t<T> word = T(true)) {
  return {[&target, word](llvm::StringRef) {
            target = word;
            return llvm::Error::success();
          },
          ""};
}

} // namespace mlir::zero
