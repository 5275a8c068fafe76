//===- DocumentStarts.cpp - Starts of packed documents --------------------===//

#include "dialect/nn/NN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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
  Value init =
      linalg::FillOp::create(b, loc, zero,
                             tensor::EmptyOp::create(b, loc, type.getShape(),
                                                     type.getElementType())
                                 .getResult())
          .getResult(0);
  // The largest j + 1 with a separator at j < i.
  auto generic = linalg::GenericOp::create(
      b, loc, type, ValueRange{getTokens()}, ValueRange{init},
      ArrayRef{AffineMap::get(3, 0, {batch, j}, context),
               AffineMap::get(3, 0, {batch, i}, context)},
      ArrayRef{utils::IteratorType::parallel, utils::IteratorType::parallel,
               utils::IteratorType::reduction},
      [&](OpBuilder &at, Location l, ValueRange in) {
        Value query = linalg::IndexOp::create(at, l, 1),
              key = linalg::IndexOp::create(at, l, 2);
        Value separator = arith::ConstantIntOp::create(
            at, l, in[0].getType(), static_cast<int64_t>(getSeparator()));
        Value ends = arith::CmpIOp::create(at, l, arith::CmpIPredicate::eq,
                                           in[0], separator);
        Value before =
            arith::CmpIOp::create(at, l, arith::CmpIPredicate::ult, key, query);
        Value next = arith::AddIOp::create(
            at, l, key, arith::ConstantIndexOp::create(at, l, 1));
        next = arith::IndexCastOp::create(at, l, at.getI32Type(), next);
        Value isBefore = arith::AndIOp::create(at, l, ends, before);
        Value start =
            arith::SelectOp::create(at, l, isBefore, next, zero).getResult();
        linalg::YieldOp::create(
            at, l, arith::MaxSIOp::create(at, l, start, in[1]).getResult());
      });
  return {generic.getResult(0)};
}
