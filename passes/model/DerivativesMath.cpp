//===- DerivativesMath.cpp - Derivatives of math --------------------------===//
//
// |x| has derivative 0 at 0, as in PyTorch; functions that round have none.
// Slopes in terms of the result are exact where those of the operand would
// cancel; 1 - x^2 is (1 - x) (1 + x) for the same reason.
//
//===----------------------------------------------------------------------===//

#include "passes/model/Derivatives.h"
#include "passes/model/ElementwiseRules.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace mlir::zero;
using nn::S;
using std::numbers::ln10;
using std::numbers::ln2;

namespace {

S cos(S x) { return x.apply<math::CosOp>(); }
S sin(S x) { return x.apply<math::SinOp>(); }
S pow(S x, S y) { return x.apply<math::PowFOp>(y); }

/// value times the sign of x, which is 0 at 0.
S timesSign(S value, S x) {
  S zero = x.constant(0);
  S up = compare(arith::CmpFPredicate::OGT, x, zero);
  S down = compare(arith::CmpFPredicate::OLT, x, zero);
  return nn::select(up, value, nn::select(down, -value, value.constant(0)));
}

/// 1 - x^2.
S oneLessSquare(S x) { return (1.0 - x) * (x + 1.0); }

/// 2 / sqrt(pi) exp(-x^2), the slope of erf.
S bell(S x) { return 2.0 * std::numbers::inv_sqrtpi * exp(-(x * x)); }

//===----------------------------------------------------------------------===//
// Functions of one operand
//===----------------------------------------------------------------------===//

void attachExponentials(MLIRContext *ctx) {
  attach<math::ExpOp>(ctx, steep([](const Point &p) { return p.dy * p.y(); }));
  attach<math::Exp2Op>(
      ctx, steep([](const Point &p) { return p.dy * p.y() * ln2; }));
  attach<math::ExpM1Op>(
      ctx, steep([](const Point &p) { return p.dy * (p.y() + 1.0); }));
  attach<math::LogOp>(ctx, steep([](const Point &p) { return p.dy / p.x(0); }));
  attach<math::Log1pOp>(
      ctx, steep([](const Point &p) { return p.dy / (p.x(0) + 1.0); }));
  attach<math::Log2Op>(
      ctx, steep([](const Point &p) { return p.dy / (p.x(0) * ln2); }));
  attach<math::Log10Op>(
      ctx, steep([](const Point &p) { return p.dy / (p.x(0) * ln10); }));
}

void attachRoots(MLIRContext *ctx) {
  attach<math::SqrtOp>(
      ctx, steep([](const Point &p) { return p.dy * 0.5 / p.y(); }));
  attach<math::RsqrtOp>(ctx, steep([](const Point &p) {
                          return p.dy * -0.5 * (p.y() * p.y() * p.y());
                        }));
  attach<math::CbrtOp>(ctx, steep([](const Point &p) {
                         return p.dy / (3.0 * (p.y() * p.y()));
                       }));
}

void attachTrigonometry(MLIRContext *ctx) {
  attach<math::SinOp>(ctx,
                      steep([](const Point &p) { return p.dy * cos(p.x(0)); }));
  attach<math::CosOp>(
      ctx, steep([](const Point &p) { return -(p.dy * sin(p.x(0))); }));
  attach<math::TanOp>(
      ctx, steep([](const Point &p) { return p.dy * (p.y() * p.y() + 1.0); }));
  attach<math::AsinOp>(ctx, steep([](const Point &p) {
                         return p.dy / sqrt(oneLessSquare(p.x(0)));
                       }));
  attach<math::AcosOp>(ctx, steep([](const Point &p) {
                         return -(p.dy / sqrt(oneLessSquare(p.x(0))));
                       }));
  attach<math::AtanOp>(
      ctx, [](const Point &p) { return p.dy / (p.x(0) * p.x(0) + 1.0); });
}

void attachHyperbolic(MLIRContext *ctx) {
  attach<math::SinhOp>(ctx, steep([](const Point &p) {
                         return p.dy * p.x(0).apply<math::CoshOp>();
                       }));
  attach<math::CoshOp>(ctx, steep([](const Point &p) {
                         return p.dy * p.x(0).apply<math::SinhOp>();
                       }));
  attach<math::TanhOp>(
      ctx, [](const Point &p) { return p.dy * (1.0 - p.y() * p.y()); });
  attach<math::AsinhOp>(
      ctx, [](const Point &p) { return p.dy / sqrt(p.x(0) * p.x(0) + 1.0); });
  attach<math::AcoshOp>(ctx, steep([](const Point &p) {
                          return p.dy / sqrt(-oneLessSquare(p.x(0)));
                        }));
  attach<math::AtanhOp>(
      ctx, steep([](const Point &p) { return p.dy / oneLessSquare(p.x(0)); }));
}

void attachOthers(MLIRContext *ctx) {
  attach<math::ErfOp>(ctx, [](const Point &p) { return p.dy * bell(p.x(0)); });
  attach<math::ErfcOp>(ctx,
                       [](const Point &p) { return -(p.dy * bell(p.x(0))); });
  attach<math::AbsFOp>(ctx,
                       [](const Point &p) { return timesSign(p.dy, p.x(0)); });
  attach<math::CeilOp>(ctx, nullptr);
  attach<math::FloorOp>(ctx, nullptr);
  attach<math::RoundOp>(ctx, nullptr);
  attach<math::RoundEvenOp>(ctx, nullptr);
  attach<math::TruncOp>(ctx, nullptr);
}

//===----------------------------------------------------------------------===//
// Functions of several operands
//===----------------------------------------------------------------------===//

void attachPowers(MLIRContext *ctx) {
  // d/dx x^n = n x^(n-1), and 0 where n is 0, also at x = 0;
  // d/dn x^n = x^n ln x, and 0 at x = 0.
  attach<math::PowFOp>(ctx, steep([](const Point &p) {
                         S n = p.x(1), zero = p.zero();
                         S slope = p.dy * (n * pow(p.x(0), n + -1.0));
                         return nn::select(isEqual(n, zero), zero, slope);
                       }),
                       steep([](const Point &p) {
                         S zero = p.zero();
                         S slope = p.dy * (p.y() * log(p.x(0)));
                         return nn::select(isEqual(p.x(0), zero), zero, slope);
                       }));
  attach<math::FPowIOp>(
      ctx, steep([](const Point &p) {
        S n = p.x(1), one = n.constant(1);
        S less = n.with(arith::SubIOp::create(p.b, n.loc, n.v, one.v));
        S factor = p.dy.with(
            arith::SIToFPOp::create(p.b, n.loc, p.dy.v.getType(), n.v));
        S slope = p.dy * (factor * p.x(0).apply<math::FPowIOp>(less));
        return nn::select(isEqual(factor, p.zero()), p.zero(), slope);
      }),
      nullptr);
}

/// The slope of atan2(a, b) by one operand is, but for its sign, the other over
/// a^2 + b^2.
S overSquares(const Point &p, S value) {
  return p.dy * value / (p.x(0) * p.x(0) + p.x(1) * p.x(1));
}

void attachPairs(MLIRContext *ctx) {
  attach<math::Atan2Op>(
      ctx, steep([](const Point &p) { return overSquares(p, p.x(1)); }),
      steep([](const Point &p) { return overSquares(p, -p.x(0)); }));
  attach<math::CopySignOp>(
      ctx,
      [](const Point &p) {
        S sign = p.dy.constant(1).apply<math::CopySignOp>(p.x(1));
        return timesSign(p.dy * sign, p.x(0));
      },
      nullptr);
  attach<math::FmaOp>(
      ctx, [](const Point &p) { return product(p, 1); },
      [](const Point &p) { return product(p, 0); },
      [](const Point &p) { return p.dy; });
}

/// The sine and the cosine of x, of which either may be unused.
struct SincosModel
    : nn::DifferentiableOpInterface::ExternalModel<SincosModel,
                                                   math::SincosOp> {
  LogicalResult differentiate(Operation *op, OpBuilder &b, ValueRange adjoints,
                              ArrayRef<bool>,
                              SmallVectorImpl<Value> &out) const {
    auto share = [&](unsigned i, bool negative) -> Value {
      if (!adjoints[i])
        return {};
      S dy(b, op->getLoc(), adjoints[i]);
      S slope = dy * dy.with(op->getResult(1 - i));
      return unlessZero(dy, negative ? -slope : slope);
    };
    Value sine = share(0, false), cosine = share(1, true);
    out.push_back(sine && cosine ? Value(S(b, op->getLoc(), sine) +
                                         S(b, op->getLoc(), cosine))
                                 : (sine ? sine : cosine));
    return success();
  }
};

} // namespace

void zero::registerMathDerivatives(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *ctx, math::MathDialect *) {
    attachExponentials(ctx);
    attachRoots(ctx);
    attachTrigonometry(ctx);
    attachHyperbolic(ctx);
    attachOthers(ctx);
    attachPowers(ctx);
    attachPairs(ctx);
    math::SincosOp::attachInterface<SincosModel>(*ctx);
  });
}
