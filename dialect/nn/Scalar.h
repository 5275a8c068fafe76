//===- Scalar.h - Arithmetic that reads like a formula --------------------===//
//
// `S` wraps an SSA float so that bodies of linalg forms can be written with
// operators.  It works on scalars and, because arith is elementwise, on tensors
// and vectors alike.  `Scalars` are those that a body reads:
//
//   [](const Scalars &in) { return exp(in[0] - in[1]); }
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

/// x + y, of floats or integers.
S plus(S x, S y);

/// The elements that a body reads, and the place where it is emitted.
struct Scalars {
  OpBuilder &b;
  Location loc;
  ValueRange values;

  S operator[](unsigned i) const { return {b, loc, values[i]}; }
  /// The first `count` of them.
  Scalars first(size_t count) const {
    return {b, loc, values.take_front(count)};
  }
  /// Emits an operation of the body.
  template <typename OpT, typename... Args>
  OpT emit(Args &&...args) const {
    return OpT::create(b, loc, std::forward<Args>(args)...);
  }
  /// The index of loop `loop`; as an integer of `type`, unless that is null.
  Value index(unsigned loop, Type type = {}) const;
  Value number(int64_t index) const {
    return arith::ConstantIndexOp::create(b, loc, index);
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) const {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  Value isEqual(Value x, Value y) const {
    return compare(arith::CmpIPredicate::eq, x, y);
  }
  /// The element of `tensor` at `places`.
  S extract(Value tensor, ValueRange places) const;
};

// Bodies of one operation.
inline S identity(const Scalars &in) { return in[0]; }
inline S add(const Scalars &in) { return in[0] + in[1]; }
inline S multiply(const Scalars &in) { return in[0] * in[1]; }
inline S divide(const Scalars &in) { return in[0] / in[1]; }
inline S expOfDifference(const Scalars &in) { return exp(in[0] - in[1]); }
inline S addLog(const Scalars &in) { return in[0] + log(in[1]); }

} // namespace mlir::nn
