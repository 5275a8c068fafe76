//===- Interpreter.h - What a kernel computes -------------------*- C++ -*-===//
//
// A kernel by the meaning of its operations: tensors are values, a structured
// operation does its loops one after the other, and a scalar operation is what
// MLIR folds it to.  Shares nothing with the passes that compile kernels.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"
#include <vector>

namespace mlir::zero {

/// The elements of a tensor, the last dimension first; null where nothing was
/// written.
using Elements = std::vector<Attribute>;

/// The results of `kernel`, of one block on tensors of known sizes.  Emits an
/// error where it reads what nothing wrote, or has no meaning here.
FailureOr<SmallVector<Elements>> interpret(KernelOp kernel,
                                           ArrayRef<Elements> operands);

/// How far results of attention in 16 bits may be from that, of f64, where P and dS
/// are rounded to 16 bits before they are multiplied (codegen/gpu/Tensor.h).  With
/// u = 2^-8 for bf16 and 2^-11 for f16, t = 0 and 2^-25 (what is below f16's
/// normal numbers), and e = 2^-14 for all that is computed in f32:
///
///   O      sums over keys of         ((u + e) P + t) |v|, and 2 u |O| + 2 t
///   lse    2^-18 (1 + |lse| + the largest sum of |q k scale|)
///   dV     sums over queries of      ((u + e) P + t) |dO|, and 2 u |dV| + 2 t
///   dQ, dK sums over keys, queries   (u |dS| + e P (|dO| |v| + sum of P |dO| |v|) + t)
///          of                        |scale k|, and 2 u |dQ| + 2 t
///
/// The result is rounded twice: once there, once where it is compared.
FailureOr<SmallVector<Elements>> interpretErrors(KernelOp kernel,
                                                 ArrayRef<Elements> operands);

} // namespace mlir::zero
