//===- Interpreter.h - Interprets a kernel ----------------------*- C++ -*-===//
//
// Evaluates a kernel by the semantics of its operations: tensors are values, a
// structured operation runs its loops sequentially, and a scalar operation is
// evaluated by MLIR's folder.  Shares no code with the passes that compile
// kernels.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"
#include <vector>

namespace mlir::zero {

/// The elements of a tensor in row-major order; null where nothing was written.
using Elements = std::vector<Attribute>;

/// Returns the results of `kernel`, called as one block on tensors of known
/// sizes.  Emits an error if it reads an unwritten element or an operation is
/// not supported.
FailureOr<SmallVector<Elements>> interpret(KernelOp kernel,
                                           ArrayRef<Elements> operands);

/// Bounds the errors of 16-bit attention against f64 attention.  P and dS are
/// rounded to 16 bits before they are multiplied (codegen/gpu/MmaAttention.h).
/// With u = 2^-8 for bf16 and 2^-11 for f16, t = 0 and 2^-25 (below f16's
/// normal numbers), and e = 2^-14 for everything that is computed in f32:
///
///   O      sums over keys of      ((u + e) P + t) |v|, and 2 u |O| + 2 t
///   lse    2^-18 (1 + |lse| + the largest sum of |q k scale|)
///   dV     sums over queries of   ((u + e) P + t) |dO|, and 2 u |dV| + 2 t
///   dQ, dK sums over keys,        (u |dS| + e P (|dO| |v| + sum of P |dO| |v|)
///          queries of             + t) |scale k|, and 2 u |dQ| + 2 t
///
/// The result is rounded twice: by the kernel, and for the comparison.
FailureOr<SmallVector<Elements>> interpretErrors(KernelOp kernel,
                                                 ArrayRef<Elements> operands);

} // namespace mlir::zero
