//===- DocumentStarts.cpp - Starts of packed documents --------------------===//

#include "dialect/nn/NN.h"
#include "dialect/nn/Scalar.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

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
  MLIRContext *context = b.getContext();
  AffineExpr batch, i, j;
  bindDims(context, batch, i, j);
  Value zero = arith::ConstantIntOp::create(b, loc, 0, 32);
  Value empty =
      tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  Value init = linalg::FillOp::create(b, loc, zero, empty).getResult(0);
  // The largest j + 1 with a separator at j < i.
  auto generic = linalg::GenericOp::create(
      b, loc, type, ValueRange{getTokens()}, ValueRange{init},
      ArrayRef{AffineMap::get(3, 0, {batch, j}, context),
               AffineMap::get(3, 0, {batch, i}, context)},
      ArrayRef{utils::IteratorType::parallel, utils::IteratorType::parallel,
               utils::IteratorType::reduction},
      [&](OpBuilder &at, Location l, ValueRange args) {
        Scalars in{at, l, args};
        Value query = in.index(1), key = in.index(2);
        Value separator = in.emit<arith::ConstantIntOp>(
            args[0].getType(), static_cast<int64_t>(getSeparator()));
        Value ends = in.isEqual(args[0], separator);
        Value before = in.compare(arith::CmpIPredicate::ult, key, query);
        Value next = in.emit<arith::AddIOp>(key, in.number(1));
        next = in.emit<arith::IndexCastOp>(at.getI32Type(), next);
        Value isBefore = in.emit<arith::AndIOp>(ends, before);
        Value start = in.emit<arith::SelectOp>(isBefore, next, zero);
        linalg::YieldOp::create(
            at, l, in.emit<arith::MaxSIOp>(start, args[1]).getResult());
      });
  return {generic.getResult(0)};
}
