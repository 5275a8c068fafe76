//===- KernelCode.h - Steps from a kernel to loops ------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::zero {

enum class KernelKind : uint32_t;

/// Emits rows, columns and serial kernels on memrefs: loops over the units of
/// `kind` and `space`, and vector loops for every linalg operation inside.  The
/// last arguments are the range of units to do.  With `isGroup`, a group of
/// threads of a GPU does them, and the two arguments before are the thread's
/// index in the group and the group's shared memory (bytes).
LogicalResult emitUnitLoops(func::FuncOp kernel, KernelKind kind,
                            ArrayRef<int64_t> space, bool isGroup = false);

/// Emit kernels around nn.attention, nn.attention_backward or
/// nn.embedding_backward, from memref views of their operands (still in tensor
/// form).
LogicalResult emitAttentionKernel(func::FuncOp kernel);
LogicalResult emitScatterKernel(func::FuncOp kernel, bool isGroup = false);

} // namespace mlir::zero
