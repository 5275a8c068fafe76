//===- StagedRows.h - Long rows in shared memory ----------------*- C++ -*-===//
//
// A row of logits is read several times: for its largest element, the sum of
// its exponentials and its adjoint.  The block that has it copies it to shared
// memory first, or as many of its chunks as fit.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/codegen/loops/VectorLoops.h"

namespace mlir::zero {

/// The operands of which a team has the current row in shared memory.
class StagedRows {
public:
  /// Decides for the operations `work` of `kernel`, places rows behind what is
  /// in `shared`, the block's memory, up to `limit` bytes, and records them in
  /// `context`.  Stages nothing for other kernels than those of large teams.
  void place(func::FuncOp kernel, ArrayRef<linalg::LinalgOp> work,
             LoopContext &context, Value shared, int64_t limit);

  /// Copies the rows `context.rows`, and waits until all threads see them.
  void copy(OpBuilder &b, Location loc, const LoopContext &context) const;

private:
  struct Row {
    Value operand;  ///< of all rows
    int64_t offset; ///< in shared memory, in bytes
    int64_t bytes;
  };
  SmallVector<Row> staged;
};

} // namespace mlir::zero
