//===- Interpreter.h - What a kernel computes -------------------*- C++ -*-===//
//
// A kernel by the meaning of its operations: tensors are values, a structured
// operation does its loops one after the other, and a scalar operation is what
// MLIR folds it to.  Shares nothing with the passes that compile kernels.
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_ZERO_KERNELS_INTERPRETER_H
#define TOOLS_ZERO_KERNELS_INTERPRETER_H

#include "dialect/zero/Zero.h"
#include <vector>

namespace mlir::zero {

/// The elements of a tensor, the last dimension first; null where nothing was
/// written.
using Elements = std::vector<Attribute>;

/// The results of `kernel`, of one block on tensors of known sizes.  Emits an
/// error where it reads what nothing wrote, or has no meaning here.
FailureOr<SmallVector<Elements>> interpret(KernelOp kernel,
                                           ArrayRef<Elements> operands);

} // namespace mlir::zero

#endif // TOOLS_ZERO_KERNELS_INTERPRETER_H
