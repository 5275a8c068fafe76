//===- Received.h - What terms receive of a result's adjoint ----*- C++ -*-===//
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

/// A result of a generic, on the way back: how it combines terms, and what one
/// iteration receives, as tensors of the result's shape.
class Received {
public:
  /// Of result k, whose adjoint may be null; fails with an error.
  static FailureOr<Received> of(OpBuilder &b, linalg::GenericOp op,
                                ArrayRef<Combiner> combiners, unsigned k,
                                Value adjoint);

  const Combiner &getCombiner() const { return combiner; }
  /// None: the result has no adjoint.
  ArrayRef<Value> getGiven() const { return given; }

  /// The adjoint of the term of one iteration, where `elements` are of
  /// getGiven().
  nn::S adjointOfTerm(nn::S term, ValueRange elements,
                      const Iteration &at) const;
  /// That of what the result begins as; not of elementwise results.
  nn::S adjointOfInit(nn::S init) const;

private:
  Received(linalg::GenericOp op, const Combiner &combiner)
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
