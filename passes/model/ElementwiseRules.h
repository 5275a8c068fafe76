//===- ElementwiseRules.h - One rule per operand --------------------------===//
//
// A rule gives an operand's adjoint from the operands x(i), the result y and
// its adjoint dy.  arith and math are elementwise, so a rule holds for scalars
// in the body of a linalg.generic and for whole tensors alike.
//
// A slope that can be infinite, or not a number, is `steep`: where dy is zero,
// so is the operand's adjoint.  exp(-x) overflows for x below -88, and then
// x / (1 + exp(-x)) is zero and does not depend on it; 0 x infinity would make
// that a NaN.  Where dy is not zero, nothing changes: a NaN stays one.
//
// A product is steep, too, because its slope is its other factor: for example x
// log x, where a select leaves out x = 0.  Only a sum of products is not,
// because it must stay a matmul (DerivativesLinalg.cpp).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/nn/NN.h"
#include "dialect/nn/Scalar.h"

namespace mlir::zero {

/// An elementwise operation, its result's adjoint and a builder.
struct Point {
  OpBuilder &b;
  Operation *op;
  nn::S dy;

  nn::S x(unsigned i) const { return dy.with(op->getOperand(i)); }
  nn::S y() const { return dy.with(op->getResult(0)); }
  nn::S zero() const { return dy.constant(0); }
};

using Rule = nn::S (*)(const Point &);

inline nn::S compare(arith::CmpFPredicate predicate, nn::S x, nn::S y) {
  return x.with(arith::CmpFOp::create(*x.b, x.loc, predicate, x.v, y.v));
}

inline nn::S isEqual(nn::S x, nn::S y) {
  return compare(arith::CmpFPredicate::OEQ, x, y);
}

/// `slope`, which is dy times a factor, but zero where dy is zero.
inline nn::S unlessZero(nn::S dy, nn::S slope) {
  return nn::select(isEqual(dy, dy.constant(0)), dy, slope);
}

/// Makes a rule whose slope can be infinite steep.
template <typename RuleT>
auto steep(RuleT) {
  return [](const Point &p) { return unlessZero(p.dy, RuleT()(p)); };
}

/// dy times operand `other`; steep unless that is a finite constant.
nn::S product(const Point &p, unsigned other);

/// The model of an operation whose operands have the given rules; an operand
/// without one (nullptr) never carries a derivative.
template <typename OpT, typename... Rules>
struct Elementwise
    : nn::DifferentiableOpInterface::ExternalModel<Elementwise<OpT, Rules...>,
                                                   OpT> {
  LogicalResult differentiate(Operation *op, OpBuilder &b, ValueRange adjoints,
                              ArrayRef<bool> needed,
                              SmallVectorImpl<Value> &out) const {
    Point point{b, op, nn::S(b, op->getLoc(), adjoints[0])};
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

} // namespace mlir::zero
