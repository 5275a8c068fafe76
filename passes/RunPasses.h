//===- RunPasses.h - Passes, and what their caller wants of them ----------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::zero {

/// What a caller does with every pass manager before it runs: ask for times, or
/// for the IR after each pass.
using PassManagerSetup = llvm::function_ref<LogicalResult(PassManager &)>;

inline LogicalResult runPasses(PassManager &passes, ModuleOp module,
                               PassManagerSetup setup) {
  return failure((setup && failed(setup(passes))) ||
                 failed(passes.run(module)));
}

} // namespace mlir::zero
