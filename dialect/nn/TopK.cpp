//===- TopK.cpp - The largest values of each row --------------------------===//
//
// The rank of a value is the number of values before it: the larger ones, and
// equal ones to its left.  So each of the ranks 0 to k - 1 belongs to one
// value.  This takes a comparison for each pair of a row's values, vectorized
// and without a branch; experts are few.  NaN compares as equal to any value:
// then several values may have one rank, and experts are arbitrary numbers.
//
//===----------------------------------------------------------------------===//

#include "dialect/nn/NN.h"
#include "dialect/nn/Rows.h"
#include "dialect/nn/Scalar.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::nn;

LogicalResult TopKOp::verify() {
  RankedTensorType probs = getProbs().getType(), values = getValues().getType();
  if (probs.getRank() != 2) // (C1)
    return emitOpError("chooses from rows of two dimensions, got ") << probs;
  if (values.getRank() != 2 || values.getDimSize(0) != probs.getDimSize(0) ||
      values.getElementType() != probs.getElementType() ||
      getExperts().getType().getShape() != values.getShape()) // (C2)
    return emitOpError("chooses from ")
           << probs << ", and so gives [" << probs.getDimSize(0)
           << ", k] values of " << probs.getElementType()
           << " and as many columns, got " << values << " and "
           << getExperts().getType();
  int64_t k = values.getDimSize(1);
  if (k < 1 || k > probs.getDimSize(1)) // (C2)
    return emitOpError("chooses ") << k << " of " << probs.getDimSize(1)
                                   << " columns; k is from 1 to their number";
  return success();
}

/// The rank of each value: the number of values before it.
static Value emitRanks(OpBuilder &b, Location loc, Value probs) {
  return reduceSum(
      b, loc, {probs, probs}, {"ne", "nf"}, "ne",
      [](OpBuilder &nested, Location at, ValueRange in) -> Value {
        auto above = [&](Value x, Value y) -> Value {
          return arith::CmpFOp::create(nested, at, arith::CmpFPredicate::OGT, x,
                                       y);
        };
        Value self = linalg::IndexOp::create(nested, at, 1),
              other = linalg::IndexOp::create(nested, at, 2);
        Value isLeft = arith::CmpIOp::create(
            nested, at, arith::CmpIPredicate::ult, other, self);
        Value no = arith::ConstantIntOp::create(nested, at, 0, 1);
        // `other` is before `self` if it is larger, or if neither is larger and
        // it stands to the left.
        Value before = arith::SelectOp::create(nested, at, above(in[0], in[1]),
                                               no, isLeft);
        before = arith::OrIOp::create(nested, at, above(in[1], in[0]), before);
        return arith::ExtUIOp::create(nested, at, nested.getI32Type(), before);
      },
      "nef");
}

SmallVector<Value> TopKOp::emitLinalgForm(OpBuilder &b) {
  Location loc = getLoc();
  Value probs = getProbs();
  int64_t columns = getProbs().getType().getDimSize(1);
  Value ranks = emitRanks(b, loc, probs);
  // The columns of ranks 0 to k - 1.
  Value experts = sumInto(
      b, loc, getExperts().getType(), "nk", {ranks}, {"ne"}, "nke",
      [](OpBuilder &nested, Location at, ValueRange in) -> Value {
        auto asNumber = [&](unsigned loop) -> Value {
          Value index = linalg::IndexOp::create(nested, at, loop);
          return arith::IndexCastOp::create(nested, at, in[0].getType(), index);
        };
        Value hit = arith::CmpIOp::create(nested, at, arith::CmpIPredicate::eq,
                                          in[0], asNumber(1));
        return arith::SelectOp::create(
            nested, at, hit, asNumber(2),
            constant(nested, at, in[0].getType(), 0));
      });
  Value values =
      elementwise(b, loc, {experts}, {"nk"}, "nk",
                  [&](OpBuilder &nested, Location at, ValueRange in) -> Value {
                    Value row = linalg::IndexOp::create(nested, at, 0),
                          column = clampedIndex(nested, at, in[0], columns);
                    return tensor::ExtractOp::create(nested, at, probs,
                                                     ValueRange{row, column});
                  });
  return {values, experts};
}

LogicalResult TopKOp::differentiate(OpBuilder &b, ValueRange adjoints,
                                    ArrayRef<bool>,
                                    SmallVectorImpl<Value> &out) {
  // Each chosen column gets its value's adjoint, all others zero.
  out.push_back(reduceSum(
      b, getLoc(), {getExperts(), adjoints[0], getProbs()}, {"nk", "nk", "ne"},
      "ne",
      [](OpBuilder &nested, Location at, ValueRange in) -> Value {
        Value column = linalg::IndexOp::create(nested, at, 1);
        Value id =
            arith::IndexCastOp::create(nested, at, in[0].getType(), column);
        Value hit = arith::CmpIOp::create(nested, at, arith::CmpIPredicate::eq,
                                          in[0], id);
        S adjoint(nested, at, in[1]);
        return select(hit, adjoint, adjoint.constant(0));
      },
      "nek"));
  return success();
}
