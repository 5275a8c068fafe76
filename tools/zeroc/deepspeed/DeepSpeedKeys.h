//===- DeepSpeedKeys.h - The keys of DeepSpeed's config -------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::zero::deepspeed {

/// The effect of a key.
enum class Fate {
  Section, ///< an object whose keys have rows of their own
  Alias,   ///< another spelling of the key in `to`
  Option,  ///< becomes the option of zeroc in `to`
  Train,   ///< becomes the option of the training binary in `to`
  Also,    ///< becomes one more option, that in `to`
  Model,   ///< compared with the model file
  Same, ///< one of the values in `words` is zeroc's behaviour; others are errors
  NoEffect, ///< has no effect here, for the reason in `to`
  Refused   ///< an object that is an error unless it is switched off
};

/// KIND(kind, what a value must be, the condition)
#define DEEPSPEED_KINDS(KIND)                                                  \
  KIND(Bool, "true or false", asFlag(value))                                   \
  KIND(Count, "a whole number", asCount(value))                                \
  KIND(Natural, "a whole number from 0 on", asCount(value).value_or(-1) >= 0)  \
  KIND(Positive, "a whole number from 1 on", asCount(value).value_or(0) >= 1)  \
  KIND(Number, "a number", asNumber(value))                                    \
  KIND(Amount, "a number from 0 on", asNumber(value).value_or(-1) >= 0)        \
  KIND(Part, "a number from 0 to 1",                                           \
       asNumber(value).value_or(-1) >= 0 && *asNumber(value) <= 1)             \
  KIND(Text, "a string", value.getAsString())                                  \
  KIND(List, "a list", value.getAsArray() || value.getAsString())              \
  KIND(Object, "an object, {...}", value.getAsObject())                        \
  KIND(Any, "", true)

#define KIND(NAME, WHAT, HOLDS) NAME,
enum class Kind { DEEPSPEED_KINDS(KIND) };
#undef KIND

class Mapping;

/// One row.  `path` is as in "zero_optimization.stage".
struct Key {
  std::string path = "";
  Kind kind = Kind::Any;
  Fate fate = Fate::NoEffect;
  /// For Same and Refused: zeroc's behaviour, and the fix.
  llvm::StringRef to = "";
  /// Makes the option; see DeepSpeedKeys.def for it and for what follows.
  void (Mapping::*rule)(const Key &) = nullptr;
  /// Separated by "|".
  llvm::StringRef words = "";
  llvm::StringRef otherwise = "", note = "", missing = "";
  bool (Mapping::*when)() const = nullptr;
};

/// All rows: parsing, mapping, messages and documentation read only this table.
llvm::ArrayRef<Key> getKeys();
/// Returns null for an unknown path.
const Key *findKey(llvm::StringRef path);
/// Returns the known path that is most similar to `path`, or "".
llvm::StringRef findNearest(llvm::StringRef path);
/// The table as text, by fate.
std::string printKeys();

} // namespace mlir::zero::deepspeed
