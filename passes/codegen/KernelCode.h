//===- KernelCode.h - Steps from a kernel to loops ------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "numerics/Kernel16.h"
#include "passes/codegen/loops/KernelViews.h"

namespace mlir::zero {

enum class KernelKind : uint32_t;

/// Emits rows, columns and serial kernels on memrefs: loops over the units of
/// `kind` and `space`, and vector loops for every linalg operation inside.  A
/// half-warp of a GPU does them if `units` has a thread; its block has up to
/// `sharedLimit` bytes of shared memory.
LogicalResult emitUnitLoops(func::FuncOp kernel, KernelKind kind,
                            ArrayRef<int64_t> space, const UnitArguments &units,
                            int64_t sharedLimit);

/// Emit kernels around nn.attention, nn.attention_backward or
/// nn.embedding_backward, from memref views of their operands (still in tensor
/// form).
LogicalResult emitAttentionKernel(func::FuncOp kernel, zrt::Kernel16 products);
/// The same of nn.gated_delta_rule or its backward, which is `op`.
LogicalResult emitDeltaRuleKernel(func::FuncOp kernel, Operation *op);
LogicalResult emitScatterKernel(func::FuncOp kernel, bool isHalfWarp = false);

} // namespace mlir::zero
