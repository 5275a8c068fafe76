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
      [](const Scalars &in) -> Value {
        auto above = [&](Value x, Value y) -> Value {
          return in.emit<arith::CmpFOp>(arith::CmpFPredicate::OGT, x, y);
        };
        Value self = in.index(1), other = in.index(2);
        Value isLeft = in.compare(arith::CmpIPredicate::ult, other, self);
        Value no = in.emit<arith::ConstantIntOp>(0, 1);
        // `other` is before `self` if it is larger, or if neither is larger and
        // it stands to the left.
        Value before =
            in.emit<arith::SelectOp>(above(in[0], in[1]), no, isLeft);
        before = in.emit<arith::OrIOp>(above(in[1], in[0]), before);
        return in.emit<arith::ExtUIOp>(in.b.getI32Type(), before);
      },
      "nef");
}

SmallVector<Value> TopKOp::emitLinalgForm(OpBuilder &b) {
  Location loc = getLoc();
  Value probs = getProbs();
  int64_t columns = getProbs().getType().getDimSize(1);
  Value ranks = emitRanks(b, loc, probs);
  // The columns of ranks 0 to k - 1.
  Value experts = sumInto(b, loc, getExperts().getType(), "nk", {ranks}, {"ne"},
                          "nke", [](const Scalars &in) {
                            Type number = in[0].v.getType();
                            Value hit = in.isEqual(in[0], in.index(1, number));
                            S column = in[0].with(in.index(2, number));
                            return select(hit, column, column.constant(0));
                          });
  Value values = elementwise(b, loc, {experts}, [&](const Scalars &in) {
    Value row = in.index(0), column = clampedIndex(in, in[0], columns);
    return in.extract(probs, {row, column});
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
      [](const Scalars &in) {
        Value hit = in.isEqual(in[0], in.index(1, in[0].v.getType()));
        return select(hit, in[1], in[1].constant(0));
      },
      "nek"));
  return success();
}
