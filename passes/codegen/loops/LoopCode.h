//===- LoopCode.h - Short names for operations of kernels -------*- C++ -*-===//
//
// Operations are written at the insertion point of one builder.  A function
// emits a loop's body: it receives the carried values and returns those that
// the body yields.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::zero {

using Values = SmallVector<Value>;

class LoopCode {
public:
  LoopCode(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  OpBuilder &b;
  Location loc;

  // Numbers, of type index, i32 and f32.
  Value index(int64_t value);
  Value i32(int64_t value);
  Value f32(float value);
  Value toI32(Value index);
  Value toIndex(Value i32);

  Value add(Value x, Value y) { return make<arith::AddIOp>(x, y); }
  Value add(Value x, int64_t y) { return add(x, like(x, y)); }
  Value sub(Value x, Value y) { return make<arith::SubIOp>(x, y); }
  Value sub(Value x, int64_t y) { return sub(x, like(x, y)); }
  Value mul(Value x, Value y) { return make<arith::MulIOp>(x, y); }
  Value mul(Value x, int64_t y) { return mul(x, like(x, y)); }
  Value div(Value x, Value y) { return make<arith::DivUIOp>(x, y); }
  Value div(Value x, int64_t y) { return div(x, like(x, y)); }
  Value rem(Value x, Value y) { return make<arith::RemUIOp>(x, y); }
  Value rem(Value x, int64_t y) { return rem(x, like(x, y)); }
  Value min(Value x, Value y) { return make<arith::MinSIOp>(x, y); }
  Value min(Value x, int64_t y) { return min(x, like(x, y)); }
  Value max(Value x, Value y) { return make<arith::MaxSIOp>(x, y); }
  Value max(Value x, int64_t y) { return max(x, like(x, y)); }
  Value isLess(Value x, Value y);
  Value isLess(Value x, int64_t y) { return isLess(x, like(x, y)); }
  /// x < y, of numbers without a sign.
  Value isBelow(Value x, Value y);
  Value isEqual(Value x, Value y);
  Value isEqual(Value x, int64_t y) { return isEqual(x, like(x, y)); }
  Value isNot(Value x);
  Value both(Value x, Value y) { return make<arith::AndIOp>(x, y); }

  Value addf(Value x, Value y) { return make<arith::AddFOp>(x, y); }
  Value subf(Value x, Value y) { return make<arith::SubFOp>(x, y); }
  Value mulf(Value x, Value y) { return make<arith::MulFOp>(x, y); }
  Value divf(Value x, Value y) { return make<arith::DivFOp>(x, y); }
  /// x y + z, rounded once; of numbers or vectors.
  Value fma(Value x, Value y, Value z);
  Value isLessF(Value x, Value y);
  Value select(Value condition, Value x, Value y);
  Value bitcast(Type type, Value x);

  /// Lane `i` of a vector, and a vector of equal lanes.
  Value lane(Value vector, int64_t i);
  Value spread(Value x, int64_t width);
  Value vectorOf(ArrayRef<Value> lanes);
  /// Access one element.
  Value loadOne(Value memref, ValueRange place);
  void storeOne(Value value, Value memref, ValueRange place);
  /// Bytes of `memory`, from `offset` on, as a buffer.
  Value viewAs(MemRefType type, Value memory, Value offset);
  /// A view of all `count` elements, of which `first` is the first.
  Value viewAll(Value first, Value count);
  /// Access vectors of shared memory, at places that are multiples of their
  /// size.
  Value loadShared(Value tile, Value row, Value column, int64_t width = 4);
  void storeShared(Value vector, Value tile, Value row, Value column);

  /// for i = lower, + step, ... below upper
  Values loop(Value lower, Value upper, Value step, ArrayRef<Value> carried,
              llvm::function_ref<Values(Value, ArrayRef<Value>)> body);
  Values loop(Value lower, Value upper, int64_t step, ArrayRef<Value> carried,
              llvm::function_ref<Values(Value, ArrayRef<Value>)> body) {
    return loop(lower, upper, index(step), carried, body);
  }
  void when(Value condition, llvm::function_ref<void()> body);
  void whenElse(Value condition, llvm::function_ref<void()> body,
                llvm::function_ref<void()> otherwise);
  /// The result of `body` if `condition` holds, else `otherwise`.
  Values ifThen(Value condition, ArrayRef<Value> otherwise,
                llvm::function_ref<Values()> body);

private:
  template <typename OpT>
  Value make(Value x, Value y) {
    return b.createOrFold<OpT>(loc, x, y);
  }
  /// `value` in the type of `x`, which is index or i32.
  Value like(Value x, int64_t value) {
    assert(x.getType().isIndex() || x.getType().isInteger(32));
    return x.getType().isIndex() ? index(value) : i32(value);
  }
};

} // namespace mlir::zero
