//===- Scalar.h - Arithmetic that reads like a formula --------------------===//
//
// `S` wraps an SSA float so that bodies of linalg forms can be written with
// operators.  It works on scalars and, because arith is elementwise, on tensors
// and vectors alike.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/nn/Generic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace mlir::nn {

struct S {
  OpBuilder *b;
  Location loc;
  Value v;

  S(OpBuilder &b, Location loc, Value v) : b(&b), loc(loc), v(v) {}
  operator Value() const { return v; }
  S with(Value value) const { return S(*b, loc, value); }
  /// A constant of this value's type.
  S constant(double value) const {
    return with(nn::constant(*b, loc, v.getType(), value));
  }

  template <typename OpT>
  S apply() const {
    return with(OpT::create(*b, loc, v));
  }
  template <typename OpT>
  S apply(S other) const {
    return with(OpT::create(*b, loc, v, other.v));
  }

  friend S operator+(S x, S y) { return x.apply<arith::AddFOp>(y); }
  friend S operator-(S x, S y) { return x.apply<arith::SubFOp>(y); }
  friend S operator*(S x, S y) { return x.apply<arith::MulFOp>(y); }
  friend S operator/(S x, S y) { return x.apply<arith::DivFOp>(y); }
  friend S operator+(S x, double y) { return x + x.constant(y); }
  friend S operator*(S x, double y) { return x * x.constant(y); }
  friend S operator*(double x, S y) { return y * x; }
  friend S operator-(double x, S y) { return y.constant(x) - y; }
  friend S operator/(double x, S y) { return y.constant(x) / y; }
  friend S operator-(S x) { return x.apply<arith::NegFOp>(); }
};

inline S exp(S x) { return x.apply<math::ExpOp>(); }
inline S exp2(S x) { return x.apply<math::Exp2Op>(); }
inline S log(S x) { return x.apply<math::LogOp>(); }
inline S sqrt(S x) { return x.apply<math::SqrtOp>(); }
inline S tanh(S x) { return x.apply<math::TanhOp>(); }
inline S erf(S x) { return x.apply<math::ErfOp>(); }

/// x y + z, rounded once.
inline S fma(S x, S y, S z) {
  return x.with(math::FmaOp::create(*x.b, x.loc, x.v, y.v, z.v));
}

/// `condition ? x : y`.
inline S select(Value condition, S x, S y) {
  return x.with(arith::SelectOp::create(*x.b, x.loc, condition, x.v, y.v));
}

} // namespace mlir::nn
