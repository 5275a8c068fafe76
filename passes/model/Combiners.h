//===- Combiners.h - Reductions of a generic --------------------*- C++ -*-===//
//
// Each result of a linalg.generic combines terms over the loops that it lacks.
//
//   elementwise  no loop is reduced; the accumulator, if read at all, is one
//                more input
//   sum          acc + t, acc - t or fma(a, b, acc)
//   extremum     max or min of acc and t
//   product      acc t
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::zero {

struct Combiner {
  enum Reduction { Elementwise, Sum, Extremum, Product } reduction;
  /// The body's value whose adjoint starts the walk: the yielded value, or the
  /// term of an extremum or a product.
  Value term;
};

/// Whether `result` reduces no loop.
bool keepsLoops(linalg::GenericOp op, unsigned result);

/// The combiner of `result`'s terms; an error at `op` for other reductions.
FailureOr<Combiner> classifyResult(linalg::GenericOp op, unsigned result);

} // namespace mlir::zero
