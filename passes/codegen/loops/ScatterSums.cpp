//===- ScatterSums.cpp - Adding token gradients into a table --------------===//

#include "passes/codegen/loops/ScatterSums.h"

using namespace mlir;
using namespace mlir::zero;

ScatterSums::ScatterSums(OpBuilder &b, nn::EmbeddingBackwardOp op,
                         KernelViews &views, const ScatterOperands &operands)
    : VectorCode(b, op.getLoc(), views.lanes), views(views), operands(operands),
      ids(op.getTokens().getType()), table(op.getInit().getType()) {
  if (!nn::isHalf(table.getElementType()))
    return;
  int64_t vectors = llvm::divideCeil(table.getDimSize(1), lanes.stride);
  sum = memref::AllocaOp::create(
      b, loc, MemRefType::get({vectors * lanes.width}, b.getF32Type()),
      b.getI64IntegerAttr(16));
}

/// The indices of token `i`, counted in row-major order.
SmallVector<Value> ScatterSums::placeOf(Value i) {
  SmallVector<Value> place(ids.getRank());
  for (int64_t d = ids.getRank() - 1; d >= 0; --d) {
    place[d] = d == 0 ? i : rem(i, ids.getDimSize(d));
    i = div(i, ids.getDimSize(d));
  }
  return place;
}

Value ScatterSums::gradient(ArrayRef<Value> place, Value column, Value mask) {
  SmallVector<Value> element(place);
  element.push_back(column);
  return loadVector(operands.grad, element, mask);
}

void ScatterSums::clearRow(Value row) {
  forColumns([&](Value column, Value mask) {
    storeVector(constantVector(table.getElementType(), 0), operands.out,
                {row, column}, mask);
  });
}

void ScatterSums::addToken(Value token, Value id) {
  if (sum) {
    Value isFirst = isNot(isBefore(token, id));
    return when(isFirst, [&] { addAll(token, id); });
  }
  Value row = rowOf(id);
  SmallVector<Value> place = placeOf(token);
  forColumns([&](Value column, Value mask) {
    Value old = loadVector(operands.out, {row, column}, mask);
    storeVector(addf(old, gradient(place, column, mask)), operands.out,
                {row, column}, mask);
  });
}

/// Adds all tokens of a row of 16 bits, from the first on.
void ScatterSums::addAll(Value token, Value id) {
  Value row = rowOf(id);
  auto loadSum = [&](Value column) {
    return loadVector(sum, placeOfSum(column));
  };
  auto storeSum = [&](Value value, Value column) {
    storeVector(value, sum, placeOfSum(column));
  };
  forColumns([&](Value column, Value mask) {
    Value old = loadVector(operands.out, {row, column}, mask);
    storeSum(nn::widen(b, loc, old), column);
  });
  auto isSame = [&](Value other) { return isEqual(other, id); };
  forTokens(token, isSame, [&](Value next, Value) {
    SmallVector<Value> place = placeOf(next);
    forColumns([&](Value column, Value mask) {
      Value term = nn::widen(b, loc, gradient(place, column, mask));
      storeSum(addf(loadSum(column), term), column);
    });
  });
  forColumns([&](Value column, Value mask) {
    auto type = VectorType::get({lanes.width}, table.getElementType());
    Value rounded = arith::TruncFOp::create(b, loc, type, loadSum(column));
    storeVector(rounded, operands.out, {row, column}, mask);
  });
}
