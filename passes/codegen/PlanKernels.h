//===- PlanKernels.h - Kernels of the plan's own operations ---------------===//
//
// Updates, sums of squares and the norm are kernels too.  They are written on
// memrefs, next to the model's kernels, and shared by shape.
//
//===----------------------------------------------------------------------===//
#ifndef PASSES_CODEGEN_PLANKERNELS_H
#define PASSES_CODEGEN_PLANKERNELS_H

#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::zero {

/// One launch: a kernel and the bytes of its operands, results last.
struct PlanLaunch {
  func::FuncOp kernel;
  SmallVector<BytesAttr> args;
};

/// The launches of every operation of @step that runs kernels, in order within
/// the operation.  Creates the missing kernel functions in the module.
DenseMap<Operation *, SmallVector<PlanLaunch>> planLaunches(ModuleOp plan,
                                                            func::FuncOp step);

/// How a kernel's units are dealt out: `extent` of them, in pieces of `grain`.
struct Dispatch {
  int64_t extent, grain;
};
Dispatch getDispatch(func::FuncOp kernel);

/// The bytes of a value of the step: its result's or its argument's range.
BytesAttr bytesOf(Value value);

} // namespace mlir::zero

#endif // PASSES_CODEGEN_PLANKERNELS_H
