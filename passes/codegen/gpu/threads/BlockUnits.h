//===- BlockUnits.h - Units that a whole block works on ---------*- C++ -*-===//
//
// A half-warp has units of its own, as a thread of a CPU does.  That leaves a
// GPU idle if there are few units with much work.  Then whole blocks take
// units:
//
//   elements          8,192 of a kernel of any size, as an update is; what all
//                     of them share is computed once (BlockOnce.cpp)
//   sums of columns   8 columns, or all of few; the rows are shared
//                     (BlockColumnSums.cpp)
//   long rows         one row; groups form a team that shares its chunks
//                     (VectorLoops.h, HalfWarpSums.cpp)
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/codegen/loops/VectorLoops.h"

namespace mlir::zero {

enum class KernelKind : uint32_t;

/// Decides whether blocks take the units, `space`, of a kernel of `kind` with
/// the operations `work`, and records that in `context` and on the kernel.
/// Then `shared` is the block's memory.
void shareUnits(func::FuncOp kernel, KernelKind kind, ArrayRef<int64_t> space,
                ArrayRef<linalg::LinalgOp> work, LoopContext &context,
                Value shared);
/// Places the memory that a team or block shares behind its temporaries.
void placeTeamMemory(func::FuncOp kernel, ArrayRef<linalg::LinalgOp> work,
                     LoopContext &context, Value shared);

inline bool isBlock(const LoopContext &context) {
  return context.rowShare.groups > 0 || context.lanes.team > 0;
}
/// Emits `op` of such a kernel, and a barrier.
void emitForBlock(OpBuilder &b, linalg::LinalgOp op,
                  const LoopContext &context);

} // namespace mlir::zero
