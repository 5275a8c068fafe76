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
