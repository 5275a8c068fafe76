//===- VectorLoops.h - From a linalg operation to vector loops ------------===//
#ifndef PASSES_CODEGEN_VECTORLOOPS_H
#define PASSES_CODEGEN_VECTORLOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::zero {

/// Elements of one vector.  The same on every CPU: it fixes the order in which
/// reductions add, so that results do not depend on the machine's width.
constexpr int64_t kLanes = 16;

/// Emits a loop over [lower, upper) in whole vectors, then one masked vector
/// for the rest.  `body` receives the index of the first lane, the mask (null
/// for a whole vector) and the carried values; it returns their next values.
SmallVector<Value>
forVectors(OpBuilder &b, Location loc, Value lower, Value upper,
           ValueRange carried,
           llvm::function_ref<SmallVector<Value>(OpBuilder &, Value index,
                                                 Value mask, ValueRange)>
               body);

/// Loads kLanes elements at `indices` of a memref; lanes off the mask are zero.
Value loadVector(OpBuilder &b, Location loc, Value memref, ValueRange indices,
                 Value mask);
void storeVector(OpBuilder &b, Location loc, Value vector, Value memref,
                 ValueRange indices, Value mask);

/// `x` and `y` by an operation named `name`.
Value combine(OpBuilder &b, Location loc, OperationName name, Value x, Value y);

/// Combines the lanes of `vector` pairwise, halves first, by an operation named
/// `name`; the order is fixed.
Value combineLanes(OpBuilder &b, Location loc, OperationName name,
                   Value vector);

/// Where the loops of an operation are emitted.
struct LoopContext {
  /// The first loops are these indices already (a kernel's row).
  SmallVector<Value> rows;
  /// Buffers of which only one row exists: what stands in for them, indexed
  /// without the rows.
  llvm::SmallDenseMap<Value, Value> rowBuffers;
  /// For column kernels: the range of the contiguous loop.
  Value columnBegin, columnEnd;
};

/// Emits `op`, whose operands are memrefs, at the builder's position.
void emitVectorLoops(OpBuilder &b, linalg::LinalgOp op,
                     const LoopContext &context);

} // namespace mlir::zero

#endif // PASSES_CODEGEN_VECTORLOOPS_H
