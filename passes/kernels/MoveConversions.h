//===- MoveConversions.h - Views of 16 bits, not of f32 ---------*- C++ -*-===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero {

/// Makes reshapes, slices and concatenations that stand between a computation
/// in f32 and its operands or results of 16 bits move the 16 bits: widenings
/// move behind them, roundings before them.  Then the computation itself widens
/// and rounds, and its f32 is never stored.  No bit changes.
void moveConversions(ModuleOp module);

} // namespace mlir::zero
