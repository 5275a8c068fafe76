//===- Combiners.h - How a generic uses its accumulators --------*- C++ -*-===//
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
  /// The body's value whose adjoint starts the walk: what is yielded, or the
  /// term of an extremum or a product.
  Value term;
};

/// Whether no loop is reduced on the way to the result.
bool keepsLoops(linalg::GenericOp op, unsigned result);

/// How `result` combines its terms; an error at `op` for any other way.
FailureOr<Combiner> classifyResult(linalg::GenericOp op, unsigned result);

} // namespace mlir::zero
