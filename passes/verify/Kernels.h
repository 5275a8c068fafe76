//===- Kernels.h - What kernels say of themselves -------------------------===//
//
// Threads cut a kernel into units and run them in any order, side by side, and
// a plan may give a result the bytes of an operand.  Both rest on attributes of
// the kernel, which (S6) compares with its body.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/KernelUnits.h"
#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::zero::judge {

/// Passed by value: no more than names of things.
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
/// What `value` is a view of; itself if it is none.
Value skipViews(Value value);

/// Whether the first positions of `map` are the loops of the row.
bool isRow(Kernel kernel, AffineMap map);
/// Whether `use` reads nothing but the row that its operation is at.
bool readsOwnRow(Kernel kernel, OpOperand &use);

/// Whether `op` is attention or its backward.
bool isAttention(Operation *op);
/// Whether a slice is where its operation says, without operands; then it is in
/// bounds.
bool isKnown(OffsetSizeAndStrideOpInterface op);

/// (S6) `op`, and all inserts before it if it is the last, leave nothing open.
LogicalResult judgeInsert(Kernel kernel, tensor::InsertSliceOp op);
/// (S6) What attention, or a scatter, reads and writes lies in rows
/// (KernelViews.cpp).
LogicalResult judgeViews(Operation *op);
/// (S6) It is made of what is compiled as it is written (KernelForm.cpp).
LogicalResult judgeForm(Kernel kernel);
/// (S6) Its units do not depend on each other (KernelUnits.cpp).
LogicalResult judgeUnits(Kernel kernel);
/// (S6) Results may replace the operands that it says (KernelReplacements.cpp).
LogicalResult judgeReplacements(Kernel kernel);

/// All of this for every kernel of `module` that has a body.
LogicalResult judgeKernels(ModuleOp module);

} // namespace mlir::zero::judge
