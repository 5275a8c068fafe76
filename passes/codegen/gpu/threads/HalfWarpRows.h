//===- HalfWarpRows.h - Several rows of a half-warp -------------*- C++ -*-===//
//
// A half-warp takes 64 elements of a row at a time, so of shorter rows it has
// several: groups of 1, 2, 4 or 8 threads, of which each has a row.  And where
// rows of the last dimension, as the halves of a head, read the same, a group
// has all of them, and each thread loads what they share once:
//
//                         threads of a half-warp     rows
//   halves of 32 columns  0 to 7    8 to 15          0, 1     2, 3
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/codegen/loops/VectorLoops.h"

namespace mlir::zero {

/// Decides which rows the threads of a half-warp have, of a kernel of rows,
/// `space`, with the operations `work`, and records that in `context` and on
/// the kernel.  Returns the first unit of this thread, where `begin` is the
/// half-warp's.
Value shareHalfWarp(func::FuncOp kernel, ArrayRef<int64_t> space,
                    ArrayRef<linalg::LinalgOp> work, LoopContext &context,
                    Value begin);

} // namespace mlir::zero
