//===- Passes.h - The judge of a finished plan ----------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::zero {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/verify/Passes.h.inc"

/// Fails with an error at the first operation of `plan` that breaks a rule of
/// docs/verify.md.  `model` is the module at level kernels that `plan` must
/// compute; if it is null, V14 is not checked.
LogicalResult verifyPlan(ModuleOp plan, ModuleOp model);

} // namespace mlir::zero
