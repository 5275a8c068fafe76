//===- ReadNames.h - Reads the names of values from the text ----*- C++ -*-===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mlir::zero {

/// Completes the locations of a module that was parsed from `text`.
///
/// An operation without a location in the text gets its line and the name of
/// its first result, unless that is a number; arguments of functions likewise:
///
///     %y = math.tanh %x : tensor<8xf32>      at loc("y"("mlp.mlir":46:8))
///
/// The module has no line.  Operations inside a kernel, or inside an optimizer
/// that is part of a plan, have the location of that.
void readNames(ModuleOp module, const llvm::MemoryBuffer &text);

} // namespace mlir::zero
