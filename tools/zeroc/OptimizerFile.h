//===- OptimizerFile.h - An update rule of one's own ------------*- C++ -*-===//
#pragma once

#include "dialect/zero/Zero.h"
#include "llvm/Support/Error.h"

namespace mlir::zero {

/// Puts the zero.optimizer of the file at `path` into `module`, whose plan then
/// updates by it.  `settings`, "beta1=0.95,beta2=0.98", gives its numbers other
/// values than the file does; they become constants.
///
/// A rule that the compiler can complete has scalars of lr, decay and step, and
/// numbers with a default; no `clip`, since its gradient is limited already.
llvm::Error adoptOptimizer(ModuleOp module, llvm::StringRef path,
                           llvm::StringRef settings);

/// The same of rules that the model of the file `input` brings itself, with the
/// numbers that it gives them.
llvm::Error completeOptimizers(ModuleOp module, llvm::StringRef input);

} // namespace mlir::zero
