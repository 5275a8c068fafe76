//===- OtherProgram.h - Options of the training binary ----------*- C++ -*-===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::zero {

/// Where an argument is an option that training binaries have and zeroc has not,
/// such as --lr=1e-3, its name; else "".
llvm::StringRef findOptionOfTrain(llvm::ArrayRef<char *> arguments);

/// What an option of other trainers is here, as in "--fp16 is --precision=fp16
/// here"; "" for a name that is none of theirs.  Without "--".
std::string explainOptionOfOthers(llvm::StringRef name);

} // namespace mlir::zero
