//===- AttentionBase.cpp - Base of all kernels of attention ---------------===//

#include "passes/codegen/gpu/AttentionBase.h"

using namespace mlir;
using namespace mlir::zero;

Value AttentionBase::firstKeyOf(Value query) {
  Value last = add(query, shape.ahead()), key = index(0);
  if (shape.window)
    key = max(sub(last, shape.window - 1), key);
  if (starts) {
    Value start = toIndex(
        memref::LoadOp::create(b, loc, starts, ValueRange{batch, query}));
    key = max(min(start, last), key);
  }
  return key;
}

static Type rowElement(HeadRows rows) {
  return cast<MemRefType>(rows.view.getType()).getElementType();
}

Value AttentionBase::loadNumber(HeadRows rows, Value row) {
  auto load = [&](int64_t i) -> Value {
    return memref::LoadOp::create(b, loc, rows.view,
                                  ValueRange{batch, row, rows.head, index(i)});
  };
  if (rowElement(rows).isF32())
    return load(0);
  auto half = [&](int64_t i) -> Value {
    return arith::ExtUIOp::create(b, loc, b.getI32Type(),
                                  bitcast(b.getI16Type(), load(i)));
  };
  Value high = arith::ShLIOp::create(b, loc, half(1), i32(16)),
        word = arith::OrIOp::create(b, loc, half(0), high);
  return bitcast(b.getF32Type(), word);
}

void AttentionBase::storeNumber(Value number, HeadRows rows, Value row) {
  auto store = [&](Value value, int64_t i) {
    memref::StoreOp::create(b, loc, value, rows.view,
                            ValueRange{batch, row, rows.head, index(i)});
  };
  if (rowElement(rows).isF32())
    return store(number, 0);
  Value word = bitcast(b.getI32Type(), number);
  for (int64_t i = 0; i < 2; ++i) {
    Value half = arith::ShRUIOp::create(b, loc, word, i32(16 * i));
    half = arith::TruncIOp::create(b, loc, b.getI16Type(), half);
    store(bitcast(rowElement(rows), half), i);
  }
}
