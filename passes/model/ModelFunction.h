//===- ModelFunction.h - The function that is trained -----------*- C++ -*-===//
#ifndef PASSES_MODEL_MODELFUNCTION_H
#define PASSES_MODEL_MODELFUNCTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero {

/// The one public function of `module` with parameters, of one block, which
/// returns a scalar loss and whose arguments are parameters or inputs each.
/// Fails with an error where there is none, or more than one.
FailureOr<func::FuncOp> findModelFunction(ModuleOp module);

} // namespace mlir::zero

#endif // PASSES_MODEL_MODELFUNCTION_H
