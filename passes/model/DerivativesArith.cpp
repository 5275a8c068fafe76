//===- DerivativesArith.cpp - Derivatives of arith ------------------------===//
//
// Where a maximum or a minimum is reached by both operands, they share the
// adjoint evenly, as in PyTorch's maximum and minimum.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/model/Derivatives.h"
#include "passes/model/ElementwiseRules.h"

using namespace mlir;
using namespace mlir::zero;
using nn::S;

namespace {

/// The adjoint of operand i of a maximum or minimum: all of dy where it alone
/// is the result, half where both are.
S winner(const Point &p, unsigned i) {
  S mine = isEqual(p.x(i), p.y()), other = isEqual(p.x(1 - i), p.y());
  S share = nn::select(other, p.dy * 0.5, p.dy);
  return nn::select(mine, share, p.zero());
}

template <typename OpT>
void attachExtremum(MLIRContext *ctx) {
  attach<OpT>(
      ctx, [](const Point &p) { return winner(p, 0); },
      [](const Point &p) { return winner(p, 1); });
}

/// The adjoint in the operand's float type.
template <typename CastT>
S castAdjoint(const Point &p) {
  return p.dy.with(CastT::create(p.b, p.dy.loc, p.x(0).v.getType(), p.dy.v));
}

void attachArith(MLIRContext *ctx) {
  auto pass = [](const Point &p) { return p.dy; };
  auto negate = [](const Point &p) { return -p.dy; };
  attach<arith::AddFOp>(ctx, pass, pass);
  attach<arith::SubFOp>(ctx, pass, negate);
  attach<arith::NegFOp>(ctx, negate);
  attach<arith::MulFOp>(
      ctx, [](const Point &p) { return product(p, 1); },
      [](const Point &p) { return product(p, 0); });
  attach<arith::DivFOp>(
      ctx, steep([](const Point &p) { return p.dy / p.x(1); }),
      steep([](const Point &p) { return -(p.dy * p.y() / p.x(1)); }));
  // x - n y, where n = (x - r) / y is whole.
  attach<arith::RemFOp>(ctx, pass, steep([](const Point &p) {
                          return -(p.dy * ((p.x(0) - p.y()) / p.x(1)));
                        }));
  attachExtremum<arith::MaximumFOp>(ctx);
  attachExtremum<arith::MinimumFOp>(ctx);
  attachExtremum<arith::MaxNumFOp>(ctx);
  attachExtremum<arith::MinNumFOp>(ctx);
  attach<arith::SelectOp>(
      ctx, nullptr,
      [](const Point &p) { return nn::select(p.x(0), p.dy, p.zero()); },
      [](const Point &p) { return nn::select(p.x(0), p.zero(), p.dy); });
  attach<arith::ExtFOp>(
      ctx, [](const Point &p) { return castAdjoint<arith::TruncFOp>(p); });
  attach<arith::TruncFOp>(
      ctx, [](const Point &p) { return castAdjoint<arith::ExtFOp>(p); });
}

} // namespace

S zero::product(const Point &p, unsigned other) {
  S slope = p.dy * p.x(other);
  APFloat constant(0.0);
  bool isFinite = matchPattern(p.x(other).v, m_ConstantFloat(&constant)) &&
                  constant.isFinite();
  return isFinite ? slope : unlessZero(p.dy, slope);
}

void zero::registerArithDerivatives(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *ctx, arith::ArithDialect *) { attachArith(ctx); });
}

bool zero::carriesDerivative(Type type) {
  return !getElementTypeOrSelf(type).isIntOrIndex();
}

bool zero::hidesDerivative(Operation *op) {
  return isa<arith::BitcastOp, tensor::BitcastOp>(op) &&
         !carriesDerivative(op->getResult(0).getType());
}

void zero::registerDerivatives(DialectRegistry &registry) {
  registerArithDerivatives(registry);
  registerMathDerivatives(registry);
  registerTensorDerivatives(registry);
  registerLinalgDerivatives(registry);
}
