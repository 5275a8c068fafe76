//===- ForwardBlocks.h - What the forward leaves for the backward ---------===//
//
// An analysis of @step at level kernels, where forward and backward are one
// function:
//
//   forward     up to the last operation that the loss depends on
//   backward    all after it
//
// Operations of the forward are of the block whose parameters were read last,
// in program order; blocks are those that share buckets (BucketLayout.h):
//
//   reads of   wte       h.0       h.0       h.1       ln_f      wte
//   block      0         1         1         2         3         3
//
// A block that was read before (a tied embedding) begins no new one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::zero {

/// What the backward reads of a value of the forward, in all of its shapes.
struct LateValue {
  Value value;
  /// Operands of the backward, in program order.
  SmallVector<OpOperand *> uses;
};

class ForwardBlocks {
public:
  explicit ForwardBlocks(func::FuncOp step);

  unsigned size() const { return count; }
  bool isForward(Operation *op) const { return blocks.contains(op); }
  /// Of an operation of the forward.
  unsigned getBlock(Operation *op) const { return blocks.at(op); }
  /// Whether an operation of the forward reads parameters of several blocks.
  bool isBetween(Operation *op) const { return between.contains(op); }
  /// Whether an operation of another block, in the forward, reads `value`.
  bool leavesBlock(Value value) const;
  /// What the backward reads of a block, in program order.
  SmallVector<LateValue> getLateValues(unsigned block) const;

private:
  mutable func::FuncOp step; ///< its accessors are not const
  unsigned count = 0;
  llvm::DenseMap<Operation *, unsigned> blocks;
  llvm::DenseSet<Operation *> between;

  Operation *findLastOfForward() const;
  StringRef getBlockOfParameter(unsigned argument) const;
};

/// The first operation that reads any of them; they are not empty.
Operation *getFirstUser(ArrayRef<LateValue> late);
/// What a value is a reshape of: itself if it is none.
Value getReshaped(Value value);
/// `to`, in the shapes that lead from `from` to `value`, made anew at `b`.
Value reshapeAgain(OpBuilder &b, Value value, Value from, Value to);

} // namespace mlir::zero
