//===- DeltaLaunches.h - Launches of the gated delta rule -------*- C++ -*-===//
#pragma once

#include "passes/codegen/gpu/delta/DeltaBlock.h"

namespace mlir::zero {

/// Turns a kernel around `op`, a delta rule or a convolution with kept inputs,
/// into functions of blocks, which are its launches.
LogicalResult emitDeltaBlocks(func::FuncOp kernel, Operation *op);

/// Finds the views of a kernel's operands and results.
class DeltaViews {
public:
  DeltaViews(func::FuncOp kernel, OpBuilder &b) : views(kernel, b, true) {}

  KernelViews views;
  bool isComplete = true; ///< no view was missing

  Value operand(Value tensor) {
    return tensor ? found(views.operand(tensor)) : Value();
  }
  Value result(Value tensor) {
    return tensor ? found(views.result(tensor)) : Value();
  }

private:
  Value found(Value view) {
    isComplete &= static_cast<bool>(view);
    return view;
  }
};

/// Views of nn.cached_delta_rule; null if there are none.  What is kept is
/// read and written where the results are.
struct CachedDeltaOperands {
  Value q, k, v, gates, beta, begin, count, starts;
  Value out, state, keys, updates, decays;
};

/// Those of nn.cached_causal_conv.
struct CachedConvOperands {
  Value x, weight, begin, count, starts;
  Value out, inputs;
};

/// The blocks that share a unit, and the bytes of their shared memory.
struct BlockParts {
  int64_t count, sharedBytes;
};

/// Emit the work of a block of the two launches of a rule with a kept state: of
/// all but keys and decays, and of these; and of a convolution.
BlockParts emitCachedDelta(OpBuilder &b, Location loc, const DeltaShape &shape,
                           const KernelViews &views,
                           const CachedDeltaOperands &all);
BlockParts emitKeptRows(OpBuilder &b, Location loc, const DeltaShape &shape,
                        const KernelViews &views,
                        const CachedDeltaOperands &all);
BlockParts emitCachedConv(OpBuilder &b, Location loc, const KernelViews &views,
                          const CachedConvOperands &all);

/// Emit the work of a block of the forward, and of the two launches of the
/// backward.
void emitDeltaForward(OpBuilder &b, Location loc, const DeltaShape &shape,
                      const KernelViews &views, const DeltaOperands &all);
void emitDeltaStates(OpBuilder &b, Location loc, const DeltaShape &shape,
                     const KernelViews &views, const DeltaOperands &all);
/// Returns the bytes of its shared memory.
int64_t emitDeltaChunk(OpBuilder &b, Location loc, const DeltaShape &shape,
                       const KernelViews &views, const DeltaOperands &all);

} // namespace mlir::zero
