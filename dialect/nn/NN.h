//===- NN.h - The nn dialect ----------------------------------------------===//
//
// Model mathematics on tensors; see NN.td for the operations and their meaning.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/nn/Traits.h"
#include "dialect/zero/PlanInterfaces.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialect/nn/NNDialect.h.inc"
#include "dialect/nn/NNInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialect/nn/NNOps.h.inc"

namespace mlir::nn {

/// Returns true if `op` is a matmul that a plan runs as a step of its
/// own, outside kernels.
inline bool isPlanMatmul(Operation *op) {
  return isa_and_present<MatmulOp, GroupedMatmulOp, GroupedMatmulBackwardOp>(
      op);
}

/// The sizes of the batch and of the heads of `q`, which is [B, T, H, D].
SmallVector<int64_t> headsOf(Value q);
/// Positions of a chunk of the delta rule, before which states are kept.
int64_t getDeltaChunk();

/// Adds the work of attention that needs `flops` for so many products of each
/// pair of a query and a key; `q` ends in the columns of a head.
void addAttentionWork(Operation *op, Value q, int64_t flops, int64_t products,
                      zero::Work &work);

/// Adds the work of a product that needs `flops`, whose first operand is a.
void addMatmulWork(Operation *op, int64_t flops, zero::Work &work);

} // namespace mlir::nn
