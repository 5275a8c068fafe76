//===- DerivativesElementwise.cpp - Derivatives of arith and math ---------===//
//
// One rule per operand: from the operands x(i), the result y and its adjoint
// dy, the operand's adjoint.  arith and math are elementwise, so a rule holds
// for scalars in the body of a linalg.generic and for whole tensors alike.
//
// Where a maximum or a minimum is reached by both operands, they share the
// adjoint evenly; |x| has derivative 0 at 0.  Both follow PyTorch's maximum,
// minimum and abs.
//
//===----------------------------------------------------------------------===//

#include "dialect/nn/NN.h"
#include "dialect/nn/Scalar.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/model/Derivatives.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using nn::S;

namespace {

/// An elementwise operation, its result's adjoint and a builder.
struct Point {
  OpBuilder &b;
  Operation *op;
  S dy;

  S x(unsigned i) const { return dy.with(op->getOperand(i)); }
  S y() const { return dy.with(op->getResult(0)); }
};

using Rule = S (*)(const Point &);

/// The model of an operation whose operands have the given rules; an operand
/// without one (nullptr) never carries a derivative.
template <typename OpT, typename... Rules>
struct Elementwise
    : nn::DifferentiableOpInterface::ExternalModel<Elementwise<OpT, Rules...>,
                                                   OpT> {
  LogicalResult differentiate(Operation *op, OpBuilder &b, ValueRange adjoints,
                              ArrayRef<bool> needed,
                              SmallVectorImpl<Value> &out) const {
    Point point{b, op, S(b, op->getLoc(), adjoints[0])};
    for (auto [rule, wanted] : llvm::zip_equal(
             std::array<Rule, sizeof...(Rules)>{toRule(Rules{})...}, needed))
      out.push_back(wanted && rule ? Value(rule(point)) : Value());
    return success();
  }

private:
  template <typename T>
  static Rule toRule(T rule) {
    if constexpr (std::is_same_v<T, std::nullptr_t>)
      return nullptr;
    else
      return +rule;
  }
};

/// Attaches `rules`, stateless lambdas in operand order, to OpT.
template <typename OpT, typename... Rules>
void attach(MLIRContext *ctx, Rules...) {
  OpT::template attachInterface<Elementwise<OpT, Rules...>>(*ctx);
}

S compare(arith::CmpFPredicate predicate, S x, S y) {
  return x.with(arith::CmpFOp::create(*x.b, x.loc, predicate, x.v, y.v));
}

S isEqual(S x, S y) { return compare(arith::CmpFPredicate::OEQ, x, y); }

/// The adjoint of operand i of a maximum or minimum: all of dy where it alone
/// is the result, half where both are.
S winner(const Point &p, unsigned i) {
  S mine = isEqual(p.x(i), p.y()), other = isEqual(p.x(1 - i), p.y());
  S share = nn::select(other, p.dy * 0.5, p.dy);
  return nn::select(mine, share, p.dy.constant(0));
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

S cos(S x) { return x.apply<math::CosOp>(); }
S sin(S x) { return x.apply<math::SinOp>(); }
S pow(S x, S y) { return x.apply<math::PowFOp>(y); }

void attachArith(MLIRContext *ctx, arith::ArithDialect *) {
  auto pass = [](const Point &p) { return p.dy; };
  auto negate = [](const Point &p) { return -p.dy; };
  attach<arith::AddFOp>(ctx, pass, pass);
  attach<arith::SubFOp>(ctx, pass, negate);
  attach<arith::NegFOp>(ctx, negate);
  attach<arith::MulFOp>(
      ctx, [](const Point &p) { return p.dy * p.x(1); },
      [](const Point &p) { return p.dy * p.x(0); });
  attach<arith::DivFOp>(
      ctx, [](const Point &p) { return p.dy / p.x(1); },
      [](const Point &p) { return -(p.dy * p.y() / p.x(1)); });
  attachExtremum<arith::MaximumFOp>(ctx);
  attachExtremum<arith::MinimumFOp>(ctx);
  attachExtremum<arith::MaxNumFOp>(ctx);
  attachExtremum<arith::MinNumFOp>(ctx);
  attach<arith::SelectOp>(
      ctx, nullptr,
      [](const Point &p) { return nn::select(p.x(0), p.dy, p.dy.constant(0)); },
      [](const Point &p) {
        return nn::select(p.x(0), p.dy.constant(0), p.dy);
      });
  attach<arith::ExtFOp>(
      ctx, [](const Point &p) { return castAdjoint<arith::TruncFOp>(p); });
  attach<arith::TruncFOp>(
      ctx, [](const Point &p) { return castAdjoint<arith::ExtFOp>(p); });
}

void attachMath(MLIRContext *ctx, math::MathDialect *) {
  using std::numbers::ln2;
  attach<math::ExpOp>(ctx, [](const Point &p) { return p.dy * p.y(); });
  attach<math::Exp2Op>(ctx, [](const Point &p) { return p.dy * p.y() * ln2; });
  attach<math::ExpM1Op>(ctx,
                        [](const Point &p) { return p.dy * (p.y() + 1.0); });
  attach<math::LogOp>(ctx, [](const Point &p) { return p.dy / p.x(0); });
  attach<math::Log1pOp>(ctx,
                        [](const Point &p) { return p.dy / (p.x(0) + 1.0); });
  attach<math::SqrtOp>(ctx, [](const Point &p) { return p.dy * 0.5 / p.y(); });
  attach<math::RsqrtOp>(ctx, [](const Point &p) {
    return p.dy * -0.5 * (p.y() * p.y() * p.y());
  });
  attach<math::TanhOp>(
      ctx, [](const Point &p) { return p.dy * (1.0 - p.y() * p.y()); });
  attach<math::ErfOp>(ctx, [](const Point &p) {
    constexpr double kTwoOverSqrtPi = 2.0 * std::numbers::inv_sqrtpi;
    return p.dy * (kTwoOverSqrtPi * exp(-(p.x(0) * p.x(0))));
  });
  attach<math::SinOp>(ctx, [](const Point &p) { return p.dy * cos(p.x(0)); });
  attach<math::CosOp>(ctx,
                      [](const Point &p) { return -(p.dy * sin(p.x(0))); });
  attach<math::AbsFOp>(ctx, [](const Point &p) {
    S zero = p.dy.constant(0);
    S up = compare(arith::CmpFPredicate::OGT, p.x(0), zero);
    S down = compare(arith::CmpFPredicate::OLT, p.x(0), zero);
    return nn::select(up, p.dy, nn::select(down, -p.dy, zero));
  });
  // d/dx x^n = n x^(n-1), and 0 where n is 0, also at x = 0;
  // d/dn x^n = x^n ln x, and 0 at x = 0.
  attach<math::PowFOp>(
      ctx,
      [](const Point &p) {
        S n = p.x(1), zero = p.dy.constant(0);
        S slope = p.dy * (n * pow(p.x(0), n + -1.0));
        return nn::select(isEqual(n, zero), zero, slope);
      },
      [](const Point &p) {
        S zero = p.dy.constant(0);
        S slope = p.dy * (p.y() * log(p.x(0)));
        return nn::select(isEqual(p.x(0), zero), zero, slope);
      });
  attach<math::FmaOp>(
      ctx, [](const Point &p) { return p.dy * p.x(1); },
      [](const Point &p) { return p.dy * p.x(0); },
      [](const Point &p) { return p.dy; });
}

} // namespace

void zero::registerElementwiseDerivatives(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *ctx, arith::ArithDialect *dialect) {
    attachArith(ctx, dialect);
  });
  registry.addExtension(+[](MLIRContext *ctx, math::MathDialect *dialect) {
    attachMath(ctx, dialect);
  });
}

bool zero::carriesDerivative(Type type) {
  return !getElementTypeOrSelf(type).isIntOrIndex();
}

bool zero::hidesDerivative(Operation *op) {
  return isa<arith::BitcastOp, tensor::BitcastOp>(op) &&
         !carriesDerivative(op->getResult(0).getType());
}

void zero::registerDerivatives(DialectRegistry &registry) {
  registerElementwiseDerivatives(registry);
  registerTensorDerivatives(registry);
  registerLinalgDerivatives(registry);
}
