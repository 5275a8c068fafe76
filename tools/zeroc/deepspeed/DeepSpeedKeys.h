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
  Model,   ///< compared with the model file
  Same, ///< one of the values in `same` is zeroc's behaviour; others are errors
  NoEffect, ///< has no effect here, for the reason in `to`
  Refused   ///< an object that is an error unless it is switched off
};

/// Natural counts from 0, Positive from 1; an Amount is a number from 0 on, a
/// Part one up to 1.
enum class Kind {
  Bool,
  Count,
  Natural,
  Positive,
  Number,
  Amount,
  Part,
  Text,
  List,
  Any,
  Object
};

/// One row.  `path` is as in "zero_optimization.stage".
struct Key {
  std::string path;
  Kind kind;
  Fate fate;
  /// For Same and Refused: zeroc's behaviour, and the fix.
  llvm::StringRef to;
  /// The values of Same, separated by "|".
  llvm::StringRef same = "";
};

/// Returns null for an unknown path.
const Key *findKey(llvm::StringRef path);
/// Returns the known path that is most similar to `path`.
llvm::StringRef findNearest(llvm::StringRef path);
/// The table as text, by fate.
std::string printKeys();

} // namespace mlir::zero::deepspeed
