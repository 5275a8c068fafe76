//===- Dispatch.h - Arguments and pieces of kernel launches ---------------===//
#pragma once

#include "dialect/zero/Zero.h"

namespace mlir::zero {

/// The kernels that `op` launches.  An update has two: for members without
/// weight decay and for those with it.  Empty if `op` launches none.
SmallVector<KernelOp> findKernels(Operation *op,
                                  SymbolTableCollection &symbols);

/// The arguments that `op` passes to them: the operands that it reads, then its
/// results.
SmallVector<Value> getKernelArguments(Operation *op);

/// A kernel's units for threads to share: `extent` units, in pieces of
/// `grain`.  The extent of a kernel for any number of elements is 0.
struct Dispatch {
  int64_t extent, grain;
};
Dispatch getDispatch(KernelOp kernel);

} // namespace mlir::zero
