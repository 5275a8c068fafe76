//===- OtherProgram.h - Options of the training binary ----------*- C++ -*-===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::zero {

/// Where an argument is an option that training binaries have and zeroc has not,
/// such as --lr=1e-3, its name; else "".
llvm::StringRef findOptionOfTrain(llvm::ArrayRef<char *> arguments);

} // namespace mlir::zero
