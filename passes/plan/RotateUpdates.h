//===- RotateUpdates.h - Moves updates to the next step ---------*- C++ -*-===//
#pragma once

#include "dialect/zero/Zero.h"

namespace mlir::zero {

/// When an update in host memory runs.
enum class Rotation {
  None,    ///< in its step
  Overlap, ///< in the next one, before its forward reads the parameters
  Delayed, ///< in the next one, beside all of it
};

/// Maps an operation of the rotated step to the operation of `step` that it is,
/// or was made from.
using OriginalOf = llvm::function_ref<Operation *(Operation *)>;

/// Calls `look` with the program that `step` becomes by `rotation`; leaves
/// `step` unchanged.  Fails if `look` does, and with an error if `step` cannot
/// be rotated.
LogicalResult
lookAtRotated(ProgramOp step, Rotation rotation,
              llvm::function_ref<LogicalResult(ProgramOp, OriginalOf)> look);

} // namespace mlir::zero
