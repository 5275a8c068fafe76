//===- GroupSquares.h - Sums of squares by groups of threads ----*- C++ -*-===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero {

/// Adds zrt_squares_TYPE (abi/ZrtStructs.def) of gradients of `element`
/// (f32, bf16 or f16) to `module`, in which the functions of Shuffle.h are
/// declared.
void emitSquares(ModuleOp module, Type element);

} // namespace mlir::zero
