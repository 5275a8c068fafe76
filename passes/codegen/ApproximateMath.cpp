//===- ApproximateMath.cpp - Functions of math as polynomials -------------===//
//
// Upstream has polynomials for all of math as patterns, and a pass only for its
// tests.  exp and exp2 of f32 are most of what a training step computes outside
// of products, and have patterns of their own:
//
//   x = ln2 n + r with n whole and |r| <= ln2 / 2       exp(x) = 2^n exp(r)
//
// 1. Clamp x to where 2^n is neither zero nor infinite, and a little further:
//    so far that n = -127, whose power is written as zero, or n = 128, whose
//    power is written as infinity.  A NaN is not clamped.
// 2. Add 1.5 x 2^23 + 127.  That rounds x log2(e) to a whole number and leaves
//    n + 127, the exponent of 2^n, in the sum's low bits.
// 3. Evaluate a polynomial of degree 6 at r, by Horner's rule with FMA.  Its
//    coefficients interpolate at Chebyshev nodes; the relative error is 1e-8
//    before rounding and at most 8e-8 with it.
//
// Results below 2^-126 may be zero, those above 2^127.5 are infinite.  There is
// no branch, and nothing depends on the processor's kind: scalars and vectors
// of any width have the same bits.
//
// pow is computed in f64 (Power.cpp) and rounded to other types.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/Passes.h"
#include "passes/codegen/loops/Power.h"

#include "dialect/nn/Scalar.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <numbers>

#define DEBUG_TYPE "zero-approximate-math"

namespace mlir::zero {
#define GEN_PASS_DEF_APPROXIMATEMATH
#include "passes/codegen/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;
using nn::S;

namespace {

/// ln 2 as the sum of two f32.
constexpr double kLn2High = 0.6931471824645996, kLn2Low = -1.904654323148236e-9;
/// Adding this rounds a number to an integer and shifts that into the
/// exponent's range.
constexpr double kRound = 12582912.0 + 127.0;

constexpr double kExp[] = {1.0,          0.5,           0.166665047,
                           0.0416664667, 0.00836914871, 0.00139336416};
constexpr double kExp2[] = {0.693147182,   0.240226507,   0.0555035695,
                            0.00961808302, 0.00133908633, 0.000154531634};

S clamp(S x, double low, double high, bool forGpu) {
  S bottom = x.constant(low), top = x.constant(high);
  if (forGpu) { // has an instruction for each
    x = x.with(arith::MaximumFOp::create(*x.b, x.loc, x.v, bottom.v));
    return x.with(arith::MinimumFOp::create(*x.b, x.loc, x.v, top.v));
  }
  auto less = [](S a, S b) -> Value {
    return arith::CmpFOp::create(*a.b, a.loc, arith::CmpFPredicate::OLT, a.v,
                                 b.v);
  };
  // Comparisons with NaN are false.
  x = select(less(x, bottom), bottom, x);
  return select(less(top, x), top, x);
}

/// 1 + r (c[0] + r (c[1] + ...)).
S polynomial(S r, ArrayRef<double> coefficients) {
  S value = r.constant(coefficients.back());
  for (double next : llvm::reverse(coefficients.drop_back()))
    value = fma(value, r, r.constant(next));
  return fma(value, r, r.constant(1));
}

/// 2^n, where `shifted` is n + kRound.
S powerOfTwo(S shifted) {
  OpBuilder &b = *shifted.b;
  Type type = shifted.v.getType(), bits = b.getI32Type();
  TypedAttr count = b.getI32IntegerAttr(23);
  if (auto vector = dyn_cast<VectorType>(type)) {
    bits = vector.clone(bits);
    count = DenseElementsAttr::get(cast<VectorType>(bits), Attribute(count));
  }
  Location loc = shifted.loc;
  Value exponent = arith::BitcastOp::create(b, loc, bits, shifted);
  exponent = arith::ShLIOp::create(b, loc, exponent,
                                   arith::ConstantOp::create(b, loc, count));
  return shifted.with(arith::BitcastOp::create(b, loc, type, exponent));
}

S approximate(math::ExpOp, S x, bool forGpu) {
  x = clamp(x, -88.2, 88.72, forGpu);
  S shifted = fma(x, x.constant(std::numbers::log2e), x.constant(kRound));
  S n = shifted - x.constant(kRound);
  S r = fma(n, x.constant(-kLn2Low), fma(n, x.constant(-kLn2High), x));
  return polynomial(r, kExp) * powerOfTwo(shifted);
}

S approximate(math::Exp2Op, S x, bool forGpu) {
  x = clamp(x, -127, 128, forGpu);
  S shifted = x + kRound;
  S r = x - (shifted - x.constant(kRound));
  return polynomial(r, kExp2) * powerOfTwo(shifted);
}

template <typename OpT>
struct Approximate : OpRewritePattern<OpT> {
  Approximate(MLIRContext *context, PatternBenefit benefit, bool forGpu)
      : OpRewritePattern<OpT>(context, benefit), forGpu(forGpu) {}
  bool forGpu;
  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    S x(rewriter, op.getLoc(), op.getOperand());
    rewriter.replaceOp(op, approximate(op, x, forGpu).v);
    return success();
  }
};

struct ApproximatePower : OpRewritePattern<math::PowFOp> {
  using OpRewritePattern<math::PowFOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(math::PowFOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType(), wide = rewriter.getF64Type();
    const bool isWide = getElementTypeOrSelf(type) == wide;
    if (auto vector = dyn_cast<VectorType>(type))
      wide = vector.clone(wide);
    auto widened = [&](Value value) -> S {
      if (!isWide)
        value = arith::ExtFOp::create(rewriter, op.getLoc(), wide, value);
      return {rewriter, op.getLoc(), value};
    };
    Value result = emitPower(widened(op.getLhs()), widened(op.getRhs()));
    if (!isWide)
      result = arith::TruncFOp::create(rewriter, op.getLoc(), type, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct ApproximateMath : zero::impl::ApproximateMathBase<ApproximateMath> {
  using ApproximateMathBase::ApproximateMathBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    constexpr unsigned kBenefit = 10;
    patterns.add<Approximate<math::ExpOp>, Approximate<math::Exp2Op>>(
        &getContext(), kBenefit, forGpu);
    patterns.add<ApproximatePower>(&getContext(), kBenefit);
    populateMathPolynomialApproximationPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
