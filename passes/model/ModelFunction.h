//===- ModelFunction.h - The function that is trained -----------*- C++ -*-===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero {

/// Whether an argument of `function` is a parameter.
bool hasParameters(func::FuncOp function);

/// Erases the dead operations of `block`, last first.
void eraseDead(Block &block);

/// Removes dropout, whose keys then have no reader.
void removeDropout(func::FuncOp function);

/// Calls `visit` for all operations of functions and kernels of `module`, not
/// for those of the module that SplitContext keeps.
template <typename Visitor>
void walkFunctions(ModuleOp module, Visitor visit) {
  for (Operation &op : *module.getBody())
    if (!isa<ModuleOp>(op))
      op.walk(visit);
}

/// Rewrites named operations of linalg as linalg.generic.
void generalize(func::FuncOp model);

/// The one public function of `module` with parameters, of one block, which
/// returns a scalar loss, perhaps with values of samples, and whose arguments
/// are parameters or inputs each.  Fails with an error where there is none, or
/// more than one.
FailureOr<func::FuncOp> findModelFunction(ModuleOp module);

/// The function @step that the model has become, with the loss and its
/// gradients.  Null after an error if there is none.
inline func::FuncOp findStep(ModuleOp module) {
  auto step = module.lookupSymbol<func::FuncOp>("step");
  if (!step)
    module.emitError(
        "has no function @step; run zero-differentiate-loss first");
  return step;
}

/// Checks that `step` has one block, which returns a loss, and a gradient for
/// each parameter that is not frozen, of its shape.
LogicalResult checkGradients(func::FuncOp step);

} // namespace mlir::zero
