//===- PlanOptions.h - The options that a plan is made with -----*- C++ -*-===//
//
// The fields of abi/PlanOptions.def as a struct, their words, and what they
// need of each other (abi/PlanRules.def).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

namespace mlir::zero {

#define ZERO_ENUM(TYPE, ...) enum class TYPE { __VA_ARGS__ };
#define ZERO_CASE(NAME, WORD) NAME,
#include "abi/PlanOptions.def"

/// The words of an enumeration, in its order.
#define ZERO_ENUM(TYPE, ...)                                                   \
  inline llvm::ArrayRef<llvm::StringLiteral> getWords(TYPE) {                  \
    static constexpr llvm::StringLiteral words[] = {__VA_ARGS__};              \
    return words;                                                              \
  }                                                                            \
  inline llvm::StringRef stringify(TYPE value) {                               \
    return getWords(value)[static_cast<int>(value)];                           \
  }
#define ZERO_CASE(NAME, WORD) llvm::StringLiteral(WORD),
#include "abi/PlanOptions.def"

/// The value whose word is `word`; nothing if there is none.
template <typename Enum>
std::optional<Enum> parseWord(llvm::StringRef word) {
  for (auto [i, known] : llvm::enumerate(getWords(Enum())))
    if (known == word)
      return static_cast<Enum>(i);
  return std::nullopt;
}

/// The numbers of the built-in optimizers, by default.
struct OptimizerNumbers {
  double beta1 = 0.9, beta2 = 0.95, eps = 1e-8, momentum = 0.9;
};

struct PlanOptions {
#define ZERO_OPTION(TYPE, FIELD, GETTER, USAGE, DEFAULT, EFFECT)               \
  TYPE FIELD = DEFAULT;
#include "abi/PlanOptions.def"

  bool operator==(const PlanOptions &) const = default;
};

/// The default of --loss-chunk, in bytes.
constexpr int64_t kLossChunk = PlanOptions().lossChunk;

llvm::hash_code hash_value(const PlanOptions &options);

/// "offload-params" of "offload-params=TIER"
inline llvm::StringRef getOptionName(llvm::StringRef usage) {
  return usage.take_until([](char c) { return c == '='; });
}

/// Calls `visit(name, field, otherwise)` for each field in the order of the
/// list: its name, "offload-params", a reference to it, and its default.
template <typename Options, typename Visit>
void visitOptions(Options &options, Visit visit) {
#define ZERO_OPTION(TYPE, FIELD, GETTER, USAGE, DEFAULT, EFFECT)               \
  visit(getOptionName(USAGE), options.FIELD, TYPE(DEFAULT));
#include "abi/PlanOptions.def"
}

/// A field as a user types it: "true", "3", "0.1", "cpu"; of a double the
/// shortest text that reads as it again.
std::string optionText(bool value);
std::string optionText(int64_t value);
std::string optionText(double value);
template <typename Enum>
  requires std::is_enum_v<Enum>
std::string optionText(Enum value) {
  return stringify(value).str();
}
/// An option as a user types it: "--stage=3", "--eval", "--sample-only".
template <typename T>
std::string optionFlag(llvm::StringRef name, T value) {
  std::string flag = "--" + name.str();
  if constexpr (std::is_same_v<T, bool>)
    return flag;
  else if constexpr (std::is_same_v<T, Sample>)
    return value == Sample::Score  ? "--score-only"
           : value == Sample::Only ? flag + "-only"
                                   : flag;
  else
    return flag + "=" + optionText(value);
}
/// Reads such a text into `value`; false if it is none.
bool readOption(llvm::StringRef text, bool &value);
bool readOption(llvm::StringRef text, int64_t &value);
bool readOption(llvm::StringRef text, double &value);
template <typename Enum>
  requires std::is_enum_v<Enum>
bool readOption(llvm::StringRef text, Enum &value) {
  std::optional<Enum> known = parseWord<Enum>(text);
  value = known.value_or(value);
  return known.has_value();
}

/// Two options that exclude each other, as zeroc says it to a user, and the
/// constraint of #zero.options that they break, "(C7)".
struct Conflict {
  llvm::StringRef constraint;
  std::string text;
};
/// The first conflict of `options`; nothing if they agree.  `isKnown` says
/// that the precision is that of the parameters, and not only what was typed.
std::optional<Conflict> findConflict(const PlanOptions &options, bool isKnown);
/// The same, of the rules of abi/PlanRules.def alone.
std::optional<Conflict> findBrokenRule(const PlanOptions &options,
                                       bool isKnown);
/// The first value out of its range: "--stage must be 0, 1, 2 or 3, got 4".
std::optional<Conflict> findOutOfRange(const PlanOptions &options);

/// The ranks of a group (zero.axis), which one of three options says; 0: ranks
/// are not in groups.
inline int64_t getGroupSize(const PlanOptions &options) {
  return std::max(
      {options.ranksPerHost, options.shardSize, options.secondaryShard});
}

/// Whether parameters can be kept on another tier: on several ranks those that
/// are whole stay on the device.
inline bool mayOffloadParameters(const PlanOptions &options) {
  return options.worldSize == 1 || options.stage == 3;
}

} // namespace mlir::zero
