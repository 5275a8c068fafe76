//===- ReadNames.h - What the text of a model calls its values --*- C++ -*-===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mlir::zero {

/// Completes the locations of a module that was parsed from `text`.
///
/// An operation without one in the text is at its line, and called as its first
/// result, the arguments of functions likewise:
///
///     %y = math.tanh %x : tensor<8xf32>      at loc("y"("mlp.mlir":46:8))
///
/// unless that is a mere number.  The module is at no line.  What is inside of a kernel, and of an
/// optimizer that is part of a plan, has the location of that.
void readNames(ModuleOp module, const llvm::MemoryBuffer &text);

} // namespace mlir::zero
