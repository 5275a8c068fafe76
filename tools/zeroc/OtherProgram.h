//===- OtherProgram.h - Options of the training binary ----------*- C++ -*-===//
#ifndef TOOLS_ZEROC_OTHERPROGRAM_H
#define TOOLS_ZEROC_OTHERPROGRAM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::zero {

/// Where an argument is an option that training binaries have and zeroc has not,
/// such as --lr=1e-3, its name; else "".
llvm::StringRef findOptionOfTrain(llvm::ArrayRef<char *> arguments);

} // namespace mlir::zero

#endif // TOOLS_ZEROC_OTHERPROGRAM_H
