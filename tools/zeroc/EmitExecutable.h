//===- EmitExecutable.h - Objects and the training binary -----------------===//
#pragma once

#include "tools/zeroc/Options.h"
#include "llvm/Support/Error.h"

namespace mlir::zero {

/// Generates code for a plan at level memory and writes the output that
/// options.emit names: LLVM IR, an object, or a linked training binary.  Files
/// appear whole or not at all.
llvm::Error emitPlan(ModuleOp plan, const DriverOptions &options,
                     StringRef argv0, PassManagerSetup setup);

} // namespace mlir::zero
