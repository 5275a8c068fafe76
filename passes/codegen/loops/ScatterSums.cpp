//===- ScatterSums.cpp - Adding token gradients into a table --------------===//

#include "passes/codegen/loops/ScatterSums.h"

using namespace mlir;
using namespace mlir::zero;

/// The indices of token `i`, counted in row-major order.
SmallVector<Value> ScatterSums::placeOf(Value i) {
  SmallVector<Value> place(ids.getRank());
  for (int64_t d = ids.getRank() - 1; d >= 0; --d) {
    place[d] = d == 0 ? i : rem(i, ids.getDimSize(d));
    i = div(i, ids.getDimSize(d));
  }
  return place;
}

Value ScatterSums::gradientOf(Value token, Value column, Value mask) {
  SmallVector<Value> element = placeOf(token);
  element.push_back(column);
  return loadVector(operands.grad, element, mask);
}
