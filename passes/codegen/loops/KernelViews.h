//===- KernelViews.h - Memref views of a kernel's tensors -----------------===//
//
// Kernels that are written by hand (attention, scatter) contain one nn
// operation and views of its operands and results.  `KernelViews` gives each
// tensor its memref: operands are followed up to the kernel's arguments,
// results down to the arguments that they are returned in.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "passes/codegen/loops/VectorLoops.h"

namespace mlir::zero {

/// The memref that holds a whole tensor of `type`.
MemRefType memrefOf(Type type);

/// The arguments behind a kernel's operands: the range of units to do.  If a
/// half-warp of a GPU does them, the thread's index in the half-warp and the
/// memory that its threads share (bytes) come before.
struct UnitArguments {
  Value thread, shared; ///< null on a CPU
  Value begin, end;
};
UnitArguments addUnitArguments(func::FuncOp kernel, bool isHalfWarp);

class KernelViews {
public:
  /// Gives `kernel` memref arguments; `b` inserts before its terminator.  With
  /// `isHalfWarp` the kernel is the code of a thread of a GPU (KernelCode.h).
  KernelViews(func::FuncOp kernel, OpBuilder &b, bool isHalfWarp = false);

  /// The memref that a tensor operand reads, or null if it is no view of an
  /// argument.
  Value operand(Value tensor);
  /// The memref that a result is written to, or null.
  Value result(Value tensor);

  Lanes lanes;
  /// The memory that threads share, if the kernel is for a GPU.
  Value shared;
  /// The units to do.
  Value begin, end;

  /// Removes the tensor operations.
  void finish();

private:
  func::FuncOp kernel;
  OpBuilder &b;
  SmallVector<Operation *> tensorOps;
  DenseMap<Value, Value> inputs;  ///< tensor arguments and views of them
  DenseMap<Value, Value> outputs; ///< returned tensors
};

} // namespace mlir::zero
