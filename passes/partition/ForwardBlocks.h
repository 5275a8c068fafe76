//===- ForwardBlocks.h - Values of the forward that the backward reads ----===//
//
// An analysis of @step at level kernels, where forward and backward are one
// function:
//
//   forward     up to the last operation that the loss depends on
//   backward    all operations after it
//
// An operation of the forward belongs to the block whose parameters were read
// last, in program order; blocks are the ones that share buckets
// (BucketLayout.h):
//
//   reads of   wte       h.0       h.0       h.1       ln_f      wte
//   block      0         1         1         2         3         3
//
// Reading a block again (a tied embedding) begins no new block.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::zero {

/// A value of the forward that the backward reads, in any shape.
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
  /// The block of `op`, an operation of the forward.
  unsigned getBlock(Operation *op) const { return blocks.at(op); }
  /// Whether an operation of the forward reads parameters of several blocks.
  bool isBetween(Operation *op) const { return between.contains(op); }
  /// Whether an operation of another block, in the forward, reads `value`;
  /// `except` does not count.
  bool leavesBlock(Value value, Operation *except = nullptr) const;
  /// The values of a block that the backward reads, in program order.
  SmallVector<LateValue> getLateValues(unsigned block) const;

private:
  mutable func::FuncOp step; ///< its accessors are not const
  unsigned count = 0;
  llvm::DenseMap<Operation *, unsigned> blocks;
  llvm::DenseSet<Operation *> between;

  Operation *findLastOfForward() const;
  StringRef getBlockOfParameter(unsigned argument) const;
};

/// The first operation that reads any of `late`, which is not empty.
Operation *getFirstUser(ArrayRef<LateValue> late);
/// The value that `value` is a reshape of; `value` itself if it is none.
Value getReshaped(Value value);
/// Applies the reshapes that lead from `from` to `value` to `to`, cloned at
/// `b`.
Value reshapeAgain(OpBuilder &b, Value value, Value from, Value to);

} // namespace mlir::zero
