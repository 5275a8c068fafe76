//===- NamePattern.h - Names that a regular expression matches --*- C++ -*-===//
#pragma once

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"

namespace mlir::zero {

/// Those of `names` that `pattern`, a Python expression (PythonPattern.h),
/// matches whole, as re.fullmatch does, and so PEFT.  Fails with what is wrong.
llvm::Expected<llvm::StringSet<>>
findFullMatches(llvm::StringRef pattern, llvm::ArrayRef<llvm::StringRef> names);

} // namespace mlir::zero
