//===- UpdateBlocks.h - Kernels that update all runs of a bucket *- C++ -*-===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero {

/// The names of an update's kernels (zrt_update_desc).
struct UpdateTwins {
  StringAttr decayed, plain;
};

/// Puts in the place of each pair of functions of `module`, the code of a
/// thread of a block, one function for blocks of any run: `decayed`.
void joinUpdates(ModuleOp module, ArrayRef<UpdateTwins> all);

} // namespace mlir::zero
