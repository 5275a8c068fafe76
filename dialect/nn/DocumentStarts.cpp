//===- DocumentStarts.cpp - Starts of packed documents --------------------===//

#include "dialect/nn/NN.h"
#include "dialect/nn/Scalar.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::nn;

LogicalResult DocumentStartsOp::verify() {
  RankedTensorType tokens = getTokens().getType();
  if (tokens.getRank() != 2 ||
      tokens.getShape() != getResult().getType().getShape()) // (C1)
    return emitOpError("tokens and the result must both be [B, T], got ")
           << tokens << " and " << getResult().getType();
  return success();
}

SmallVector<Value> DocumentStartsOp::emitLinalgForm(OpBuilder &b) {
  Location loc = getLoc();
  RankedTensorType type = getResult().getType();
  Value zero = arith::ConstantIntOp::create(b, loc, 0, 32);
  Value empty = emptyOf(b, loc, type);
  Value init = linalg::FillOp::create(b, loc, zero, empty).getResult(0);
  // The largest j + 1 with a separator at j < i.
  return {emitGeneric(
      b, loc, "bij", {getTokens()}, {"bj"}, init, "bi",
      [&](const Scalars &in) -> Value {
        Value query = in.index(1), key = in.index(2);
        Value separator = in.emit<arith::ConstantIntOp>(
            in[0].v.getType(), static_cast<int64_t>(getSeparator()));
        Value ends = in.isEqual(in[0], separator);
        Value before = in.compare(arith::CmpIPredicate::ult, key, query);
        Value next = in.emit<arith::AddIOp>(key, in.number(1));
        next = in.emit<arith::IndexCastOp>(in.b.getI32Type(), next);
        Value isBefore = in.emit<arith::AndIOp>(ends, before);
        Value start = in.emit<arith::SelectOp>(isBefore, next, zero);
        return in.emit<arith::MaxSIOp>(start, in[1]);
      })};
}
