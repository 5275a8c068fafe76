//===- RunPasses.h - Runs passes with a setup of the caller ---------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::zero {

/// Called for every pass manager before it runs, e.g. to enable timing or to
/// print the IR after each pass.
using PassManagerSetup = llvm::function_ref<LogicalResult(PassManager &)>;

inline LogicalResult runPasses(PassManager &passes, ModuleOp module,
                               PassManagerSetup setup) {
  return failure((setup && failed(setup(passes))) ||
                 failed(passes.run(module)));
}

} // namespace mlir::zero
