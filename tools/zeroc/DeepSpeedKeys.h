//===- DeepSpeedKeys.h - The keys of DeepSpeed's config, with fates -------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::zero::deepspeed {

/// What becomes of a key.
enum class Fate {
  Section, ///< an object whose keys have rows of their own
  Alias,   ///< another spelling of the key in `to`
  Option,  ///< becomes the option of zeroc in `to`
  Train,   ///< becomes the option of the training binary in `to`
  Model,   ///< compared with the model file
  Same, ///< one of the values in `same` is what zeroc does; others are errors
  NoEffect, ///< has no effect here, for the reason in `to`
  Refused   ///< an object that is an error unless it is switched off
};

enum class Kind { Bool, Count, Number, Text, List, Any, Object };

/// One row.  `path` is as in "zero_optimization.stage".
struct Key {
  llvm::StringRef path;
  Kind kind;
  Fate fate;
  /// Of Same and Refused: what is so here, and the fix.
  llvm::StringRef to;
  /// Values of Same, split by "|".
  llvm::StringRef same = "";
};

/// All of them: parsing, messages and documentation read this table only.
llvm::ArrayRef<Key> getKeys();
/// Nothing for a path that is no key.
const Key *findKey(llvm::StringRef path);
/// The known path that is most like `path`.
llvm::StringRef findNearest(llvm::StringRef path);
/// The table as text, by fate.
std::string printKeys();

} // namespace mlir::zero::deepspeed
