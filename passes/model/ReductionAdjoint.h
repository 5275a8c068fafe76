//===- ReductionAdjoint.h - Adjoints of the terms of a result ---*- C++ -*-===//
//
//   elementwise, sum   the adjoint of the result
//   extremum           its share: adjoint / hits, where the term is the result
//   extremum of a      the adjoint, where the term is the first that is the
//   window             result: as PyTorch and JAX pool
//   product            the adjoint times the other factors
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/nn/Scalar.h"
#include "passes/model/LoopsOfGeneric.h"

namespace mlir::zero {

/// A result of a generic in the backward: its combiner, and the values that an
/// iteration receives, as tensors of the result's shape.
class ReductionAdjoint {
public:
  /// Creates it for result k, whose adjoint may be null; fails with an error.
  static FailureOr<ReductionAdjoint> of(OpBuilder &b, linalg::GenericOp op,
                                        ArrayRef<Combiner> combiners,
                                        unsigned k, Value adjoint);

  const Combiner &getCombiner() const { return combiner; }
  /// Empty if the result has no adjoint.
  ArrayRef<Value> getGiven() const { return given; }

  /// The adjoint of the term of one iteration; `elements` are the iteration's
  /// elements of getGiven().
  nn::S adjointOfTerm(nn::S term, ValueRange elements,
                      const Iteration &at) const;
  /// The adjoint of the result's initial value; not for elementwise results.
  nn::S adjointOfInit(nn::S init) const;

private:
  ReductionAdjoint(linalg::GenericOp op, const Combiner &combiner)
      : op(op), combiner(combiner) {}

  FailureOr<SmallVector<Value, 2>>
  share(OpBuilder &b, ArrayRef<Combiner> combiners, unsigned k, nn::S dr);

  linalg::GenericOp op;
  Combiner combiner;
  /// Whether the first hit of an extremum receives all.
  bool first = false;
  SmallVector<Value, 2> given;
};

} // namespace mlir::zero
