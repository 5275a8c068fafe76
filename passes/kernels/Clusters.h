//===- Clusters.h - Groups operations into kernels ------------------------===//
#pragma once

#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::zero {

struct Cluster {
  KernelKind kind;
  SmallVector<int64_t> space;
  /// In program order; the launch stands at the last one.
  SmallVector<Operation *> members;
  /// Something outside already reads a result: no later operation may join.
  bool closed = false;
};

/// Forms the clusters of a straight-line step; every operation that is neither
/// a matmul, a view nor an auxiliary of one (constant, empty, fill) is
/// in exactly one.
SmallVector<Cluster> formClusters(func::FuncOp step);

/// Views, constants and initial values that are cloned into each kernel using
/// them.
bool isAuxiliary(Operation *op);

/// Whether `op` is a reshape or a slice of its first operand.
bool isView(Operation *op);

/// Skips reshapes and slices upwards; `sawSlice` becomes true if there was a
/// slice, so that the value is not contiguous in its source.
Value skipViews(Value value, bool &sawSlice);

} // namespace mlir::zero
