//===- PassOptions.h - MLIR's options of pass managers --------------------===//
#pragma once

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

namespace mlir::zero {

/// Declares them, in `category` of --help-hidden.
void declarePassOptions(llvm::cl::OptionCategory &category);

/// Whether `option` is one of them.
bool isPassOption(const llvm::cl::Option &option);

/// What is wrong with those that were given, all together.
llvm::Error checkPassOptions();

} // namespace mlir::zero
