//===- PlanKernels.h - Kernels of the plan's own operations ---------------===//
//
// Updates, sums of gradients and the norm are kernels too.  They are written on
// memrefs, next to the model's kernels.  Elementwise ones serve buckets of any
// size: the caller says how many elements.
//
//===----------------------------------------------------------------------===//
#ifndef PASSES_CODEGEN_PLANKERNELS_H
#define PASSES_CODEGEN_PLANKERNELS_H

#include "dialect/zero/Zero.h"

namespace mlir::zero {

/// One launch: a kernel and its operands, results last.
struct PlanLaunch {
  KernelOp kernel;
  /// Updates only: the kernel for members with weight decay; the other one is
  /// for those without.
  KernelOp decayed;
  SmallVector<Value> args;
  /// Elements, for kernels that serve any number of them; else 0.
  int64_t elements = 0;
};

/// What every operation of the plan's programs that runs a kernel launches.
/// Creates the missing kernel functions in the module.
DenseMap<Operation *, PlanLaunch> planLaunches(ModuleOp plan);

/// How a kernel's units are dealt out: `extent` of them, in pieces of `grain`.
struct Dispatch {
  int64_t extent, grain;
};
Dispatch getDispatch(KernelOp kernel);

} // namespace mlir::zero

#endif // PASSES_CODEGEN_PLANKERNELS_H
