//===- Dispatch.h - What is passed to a kernel, and in which pieces -------===//
#pragma once

#include "dialect/zero/Zero.h"

namespace mlir::zero {

/// The kernels that `op` launches: of an update two, for members without weight
/// decay and for those with it.  Empty for what launches none.
SmallVector<KernelOp> findKernels(Operation *op,
                                  SymbolTableCollection &symbols);

/// What `op` passes to them: the operands that it reads, then its results.
SmallVector<Value> getKernelArguments(Operation *op);

/// How a kernel's units are dealt out: `extent` of them, in pieces of `grain`.
/// The extent of a kernel for any number of elements is 0.
struct Dispatch {
  int64_t extent, grain;
};
Dispatch getDispatch(KernelOp kernel);

} // namespace mlir::zero
