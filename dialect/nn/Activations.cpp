//===- Activations.cpp - gelu, silu, softmax, log_sum_exp, detach ---------===//

#include "dialect/nn/NN.h"
#include "dialect/nn/Scalar.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace mlir::nn;

//===----------------------------------------------------------------------===//
// gelu
//===----------------------------------------------------------------------===//

namespace {

constexpr double kSqrt2OverPi = 0.79788456080286535588;
constexpr double kInvSqrt2 = 0.70710678118654752440;
constexpr double kInvSqrt2Pi = 0.39894228040143267794;
constexpr double kCubic = 0.044715;

/// sigmoid(2u) with u = sqrt(2/pi) (x + 0.044715 x^3), the factor of x in the
/// tanh form: (1 + tanh(u)) / 2 = sigmoid(2u) = 1 / (1 + exp(-2u)).  This is
/// its divisor, by a power of 2.
S tanhFormDivisor(S x) {
  constexpr double scale = -2.0 * kSqrt2OverPi * std::numbers::log2e;
  S factor = fma(x * x, x.constant(scale * kCubic), x.constant(scale));
  return exp2(x * factor) + 1.0;
}

/// Phi(x) = (1 + erf(x / sqrt 2)) / 2.
S erfFormGate(S x) { return 0.5 * (erf(kInvSqrt2 * x) + 1.0); }

} // namespace

SmallVector<Value> GeluOp::emitLinalgForm(OpBuilder &b) {
  return {elementwise(b, getLoc(), {getX()}, [&](const Scalars &in) {
    S x = in[0];
    return getTanh() ? x / tanhFormDivisor(x) : x * erfFormGate(x);
  })};
}

LogicalResult GeluOp::differentiate(OpBuilder &b, ValueRange adjoints,
                                    ArrayRef<bool>,
                                    SmallVectorImpl<Value> &out) {
  out.push_back(
      elementwise(b, getLoc(), {getX(), adjoints[0]}, [&](const Scalars &in) {
        S x = in[0], dy = in[1];
        if (getTanh()) {
          // (x s)' = s + x s (1 - s) (2u)'
          constexpr double scale = 2.0 * kSqrt2OverPi;
          S s = 1.0 / tanhFormDivisor(x);
          S du2 =
              fma(x * x, x.constant(3.0 * scale * kCubic), x.constant(scale));
          return dy * fma(x * s * (1.0 - s), du2, s);
        }
        // (x Phi)' = Phi + x phi
        return dy * (erfFormGate(x) + x * (kInvSqrt2Pi * exp(-0.5 * (x * x))));
      }));
  return success();
}

//===----------------------------------------------------------------------===//
// silu
//===----------------------------------------------------------------------===//

SmallVector<Value> SiluOp::emitLinalgForm(OpBuilder &b) {
  return {elementwise(b, getLoc(), {getX()}, [](const Scalars &in) {
    return in[0] / (exp(-in[0]) + 1.0);
  })};
}

LogicalResult SiluOp::differentiate(OpBuilder &b, ValueRange adjoints,
                                    ArrayRef<bool>,
                                    SmallVectorImpl<Value> &out) {
  out.push_back(
      elementwise(b, getLoc(), {getX(), adjoints[0]}, [](const Scalars &in) {
        // (x s)' = s + x s (1 - s)
        S x = in[0], dy = in[1];
        S s = 1.0 / (exp(-x) + 1.0);
        return dy * fma(x * s, 1.0 - s, s);
      }));
  return success();
}

//===----------------------------------------------------------------------===//
// softmax
//===----------------------------------------------------------------------===//

LogicalResult SoftmaxOp::verify() {
  if (getX().getType().getRank() < 1) // (C1)
    return emitOpError("needs at least one dimension, got a scalar");
  return success();
}

SmallVector<Value> SoftmaxOp::emitLinalgForm(OpBuilder &b) {
  Location loc = getLoc();
  const auto &[all, rows, last] = RowLetters(getX().getType());
  Value max = reduceMax(b, loc, {getX()}, {all}, rows, identity);
  Value e =
      elementwise(b, loc, {getX(), max}, {all, rows}, all, expOfDifference);
  Value sum = reduceSum(b, loc, {e}, {all}, rows, identity);
  return {elementwise(b, loc, {e, sum}, {all, rows}, all, divide)};
}

LogicalResult SoftmaxOp::differentiate(OpBuilder &b, ValueRange adjoints,
                                       ArrayRef<bool>,
                                       SmallVectorImpl<Value> &out) {
  // dx = p (dp - sum(p dp))
  Location loc = getLoc();
  const auto &[all, rows, last] = RowLetters(getX().getType());
  Value p = getResult(), dp = adjoints[0];
  Value dot = reduceSum(b, loc, {p, dp}, {all, all}, rows, multiply);
  out.push_back(
      elementwise(b, loc, {p, dp, dot}, {all, all, rows}, all,
                  [](const Scalars &in) { return in[0] * (in[1] - in[2]); }));
  return success();
}

//===----------------------------------------------------------------------===//
// log_sum_exp
//===----------------------------------------------------------------------===//

LogicalResult LogSumExpOp::verify() {
  RankedTensorType x = getX().getType();
  if (x.getRank() < 1)
    return emitOpError("needs at least one dimension, got ") << x;
  auto expected =
      RankedTensorType::get(x.getShape().drop_back(), x.getElementType());
  if (getResult().getType() != expected) // (C1)
    return emitOpError("result must be ")
           << expected << ", got " << getResult().getType();
  return success();
}

SmallVector<Value> LogSumExpOp::emitLinalgForm(OpBuilder &b) {
  Location loc = getLoc();
  const auto &[all, rows, last] = RowLetters(getX().getType());
  Value max = reduceMax(b, loc, {getX()}, {all}, rows, identity);
  Value sum =
      reduceSum(b, loc, {getX(), max}, {all, rows}, rows, expOfDifference);
  return {elementwise(b, loc, {max, sum}, addLog)};
}

LogicalResult LogSumExpOp::differentiate(OpBuilder &b, ValueRange adjoints,
                                         ArrayRef<bool>,
                                         SmallVectorImpl<Value> &out) {
  const auto &[all, rows, last] = RowLetters(getX().getType());
  out.push_back(elementwise(
      b, getLoc(), {getX(), getResult(), adjoints[0]}, {all, rows, rows}, all,
      [](const Scalars &in) { return exp(in[0] - in[1]) * in[2]; }));
  return success();
}

//===----------------------------------------------------------------------===//
// detach
//===----------------------------------------------------------------------===//

SmallVector<Value> DetachOp::emitLinalgForm(OpBuilder &) { return {getX()}; }

LogicalResult DetachOp::differentiate(OpBuilder &, ValueRange, ArrayRef<bool>,
                                      SmallVectorImpl<Value> &out) {
  out.push_back(Value());
  return success();
}
