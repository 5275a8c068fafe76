//===- OptimizerFile.h - User-defined update rules --------------*- C++ -*-===//
#pragma once

#include "dialect/zero/Zero.h"
#include "llvm/Support/Error.h"

namespace mlir::zero {

/// Adds the zero.optimizer of the file at `path` to `module`, whose plan then
/// uses it for updates.  `settings`, "beta1=0.95,beta2=0.98", overrides the
/// file's defaults of its numbers, which become constants.
///
/// A rule that the compiler can complete has scalars lr, decay and step, and
/// numbers with a default; no `clip`, since its gradient is clipped before.
llvm::Error adoptOptimizer(ModuleOp module, llvm::StringRef path,
                           llvm::StringRef settings);

/// Same, for rules in the model of the file `input`, with their default
/// numbers.
llvm::Error completeOptimizers(ModuleOp module, llvm::StringRef input);

} // namespace mlir::zero
