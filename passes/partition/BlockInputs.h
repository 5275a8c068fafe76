//===- BlockInputs.h - The one value that a block begins with ---*- C++ -*-===//
//
// A residual block adds what it computed to what it began with, and the next
// block's first launch does so, and normalizes the sum:
//
//   %x, %rms, %n = zero.launch @k(%before, %branch, %weight)
//
// %before and %branch belong to the earlier block and are read by nothing else
// outside of it.  So %x alone can be kept for the backward, and the results
// that are computed of it be computed again, by a kernel of the rest of @k:
//
//   %rms, %n = zero.launch @k.rest(%x, %weight)
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"
#include "passes/partition/ForwardBlocks.h"

namespace mlir::zero {

struct BlockInput {
  KernelOp kernel;
  /// The number of the result %x.
  unsigned result;
  /// The results that are computed of %x, and the other operands that they
  /// need.
  SmallVector<unsigned> others, rest;
};

class BlockInputs {
public:
  BlockInputs(func::FuncOp step, const ForwardBlocks &forward,
              SymbolTableCollection &symbols);

  /// The input that `op` computes, or null.
  const BlockInput *find(Operation *op) const {
    auto found = inputs.find(op);
    return found == inputs.end() ? nullptr : &found->second;
  }
  /// Whether `value` is a result of such a launch that is kept: the input, or
  /// one that is not computed of it.
  bool isKept(Value value) const;
  /// Whether another block reads `value`, and not only to begin with a sum.
  bool leavesBlock(Value value) const {
    return forward.leavesBlock(value) && !summands.contains(value);
  }
  /// Launches the rest of `op` at `b`, with operands that `map` knows, and maps
  /// the results that it computes again.
  void cloneRest(OpBuilder &b, Operation *op, IRMapping &map);

private:
  std::optional<BlockInput> inputOf(LaunchOp launch) const;
  bool isSummand(Value value, LaunchOp launch) const;
  KernelOp getRest(const BlockInput &input);

  const ForwardBlocks &forward;
  SymbolTableCollection &symbols;
  llvm::DenseMap<Operation *, BlockInput> inputs;
  llvm::DenseSet<Value> summands;
  llvm::DenseMap<std::pair<Operation *, unsigned>, KernelOp> rests;
};

} // namespace mlir::zero
