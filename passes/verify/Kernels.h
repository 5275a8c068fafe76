//===- Kernels.h - Checks of a kernel's attributes ------------------------===//
//
// Threads cut a kernel into units and run them in any order, in parallel, and a
// plan may give a result the bytes of an operand.  Both rely on attributes of
// the kernel, which (S6) compares with its body.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/KernelUnits.h"
#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::zero::judge {

/// A kernel and its attributes; passed by value.
struct Kernel {
  KernelOp function;
  KernelKind kind;
  ArrayRef<int64_t> space;
  /// Compiled with --reference, through other code.
  bool isReference;

  Block &body() { return function.front(); }
};

/// Whether `op` is a view of its first operand.
bool isView(Operation *op);
/// The value that `value` is a view of; `value` itself if it is no view.
Value skipViews(Value value);

/// Whether the first results of `map` are the loops of the row.
bool isRow(Kernel kernel, AffineMap map);
/// Whether `use` reads only the row that its operation computes.
bool readsOwnRow(Kernel kernel, OpOperand &use);

/// Whether `op` is attention or a delta rule, or the backward of one.
bool isAttention(Operation *op);
/// What is kept from run to run and `result` of attention or of a delta rule
/// replaces; null if that has bytes of its own.
Value findKept(Value result);
/// Whether the offsets, sizes and strides of a slice are static; then it is in
/// bounds.
bool isKnown(OffsetSizeAndStrideOpInterface op);

/// (S6) `op` inserts at a static place; if it ends a chain of inserts, the
/// whole chain is valid (KernelInserts.cpp).
LogicalResult judgeInsert(Kernel kernel, tensor::InsertSliceOp op);
/// (S6) Attention or a scatter reads and writes contiguous rows
/// (KernelViews.cpp).
LogicalResult judgeViews(Operation *op);
/// (S6) The kernel has only operations that are compiled as they are written
/// (KernelForm.cpp).
LogicalResult judgeForm(Kernel kernel);
/// (S6) The units of the kernel are independent (KernelUnits.cpp).
LogicalResult judgeUnits(Kernel kernel);
/// (S6) Results may replace the operands that the attributes of the kernel name
/// (KernelReplacements.cpp).
LogicalResult judgeReplacements(Kernel kernel);

/// Runs all checks of (S6) on every kernel of `module` that has a body.
LogicalResult judgeKernels(ModuleOp module);

} // namespace mlir::zero::judge
