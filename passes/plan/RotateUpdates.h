//===- RotateUpdates.h - Updates that are the next step's -------*- C++ -*-===//
#pragma once

#include "dialect/zero/Zero.h"

namespace mlir::zero {

/// When an update of host memory runs.
enum class Rotation {
  None,    ///< in its step
  Overlap, ///< in the next one, before its forward reads the parameters
  Delayed, ///< in the next one, beside all of it
};

/// The operation of `step` that one of the rotated step is, or was made from.
using OriginalOf = llvm::function_ref<Operation *(Operation *)>;

/// Shows `look` what `step` would be as `rotation` has it, and changes nothing.
/// Fails where `look` does, and with an error where `step` cannot be so.
LogicalResult
lookAtRotated(ProgramOp step, Rotation rotation,
              llvm::function_ref<LogicalResult(ProgramOp, OriginalOf)> look);

} // namespace mlir::zero
