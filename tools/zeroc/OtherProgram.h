//===- OtherProgram.h - Explains options of other programs ------*- C++ -*-===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::zero {

/// Returns the name of an argument that is an option of training binaries but
/// not of zeroc, such as --lr=1e-3; "" if there is none.
llvm::StringRef findOptionOfTrain(llvm::ArrayRef<char *> arguments);

/// Explains an option of other trainers: "--fp16 is --precision=fp16 here"; ""
/// for an unknown name.  `name` lacks the "--".
std::string explainOptionOfOthers(llvm::StringRef name);

} // namespace mlir::zero
