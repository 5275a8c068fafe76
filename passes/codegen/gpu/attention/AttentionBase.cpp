//===- AttentionBase.cpp - Base of all kernels of attention ---------------===//

#include "passes/codegen/gpu/attention/AttentionBase.h"

#include "dialect/nn/Dropout.h"

using namespace mlir;
using namespace mlir::zero;

Value AttentionBase::firstKeyOf(Value query) {
  Value last = add(query, shape.ahead()), key = index(0);
  if (shape.window)
    key = max(sub(last, shape.window - 1), key);
  if (starts) {
    Value start = toIndex(loadOne(starts, {batch, query}));
    key = max(min(start, last), key);
  }
  return key;
}

std::pair<Value, Value>
AttentionBase::queriesThatSee(Value firstKey, int64_t count, int64_t step) {
  Value low = index(0), high = index(llvm::divideCeil(shape.queries, step));
  if (shape.causal)
    low = div(max(sub(firstKey, shape.ahead()), 0), step);
  if (shape.window) {
    Value last = add(firstKey, count - 1 + shape.window - 1 - shape.ahead());
    last = max(min(last, shape.queries - 1), -1);
    high = div(add(last, step), step);
  }
  return {low, high};
}

void AttentionBase::openDropout(Value keys) {
  if (keys)
    sequenceKey = loadOne(keys, {batch});
}

Value AttentionBase::dropped(Value x, Value ofHead, Value query, Value key) {
  Value row = add(mul(toI32(ofHead), shape.queries), toI32(query)),
        element = add(mul(row, shape.keys), toI32(key));
  return nn::dropped({b, loc, {}}, {b, loc, x}, sequenceKey, element,
                     shape.rate, shape.place);
}

static Type rowElement(HeadRows rows) {
  return cast<MemRefType>(rows.view.getType()).getElementType();
}

Value AttentionBase::loadNumber(HeadRows rows, Value row) {
  auto load = [&](int64_t i) {
    return loadOne(rows.view, {batch, row, rows.head, index(i)});
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
    storeOne(value, rows.view, {batch, row, rows.head, index(i)});
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
