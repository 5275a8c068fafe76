//===- DeltaLaunches.h - Launches of the gated delta rule -------*- C++ -*-===//
#pragma once

#include "passes/codegen/gpu/delta/DeltaBlock.h"

namespace mlir::zero {

/// Turns a kernel around `op`, nn.gated_delta_rule or its backward, into
/// functions of blocks: one for the forward, two launches for the backward.
LogicalResult emitDeltaBlocks(func::FuncOp kernel, Operation *op);

/// Emit the work of a block of the forward, and of the two launches.
void emitDeltaForward(OpBuilder &b, Location loc, const DeltaShape &shape,
                      const KernelViews &views, const DeltaOperands &all);
void emitDeltaStates(OpBuilder &b, Location loc, const DeltaShape &shape,
                     const KernelViews &views, const DeltaOperands &all);
/// Returns the bytes of its shared memory.
int64_t emitDeltaChunk(OpBuilder &b, Location loc, const DeltaShape &shape,
                       const KernelViews &views, const DeltaOperands &all);

} // namespace mlir::zero
