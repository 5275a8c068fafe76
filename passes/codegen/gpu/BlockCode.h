//===- BlockCode.h - Code of a thread of a block ----------------*- C++ -*-===//
//
// Short names for the operations of kernels of whole blocks.  A function emits
// a loop's body: it receives the carried values and returns those that the body
// yields.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::zero {

/// On functions: the number of blocks that share a unit; each has a part of
/// it.  The last arguments of such a function are the thread of the block, the
/// memory that its threads share, the unit, and the part.
constexpr llvm::StringLiteral kUnitPartsAttr = "unit_parts";
/// On functions: the kernel that has this launch among several.
constexpr llvm::StringLiteral kLaunchOfAttr = "launch_of";
/// On functions: intermediate values are rounded to 16 bits, so that results
/// are only near the CPU's.
constexpr llvm::StringLiteral kRoundsAttr = "rounds";
/// On functions: the number of blocks that shall run on a processor at once,
/// which limits their registers.
constexpr llvm::StringLiteral kBlocksAtOnceAttr = "blocks_at_once";

using Values = SmallVector<Value>;

class BlockCode {
public:
  BlockCode(OpBuilder &b, Location loc) : b(b), loc(loc) {}

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
  Value mul(Value x, int64_t y) { return make<arith::MulIOp>(x, like(x, y)); }
  Value div(Value x, int64_t y) { return make<arith::DivUIOp>(x, like(x, y)); }
  Value rem(Value x, int64_t y) { return make<arith::RemUIOp>(x, like(x, y)); }
  Value min(Value x, Value y) { return make<arith::MinSIOp>(x, y); }
  Value min(Value x, int64_t y) { return min(x, like(x, y)); }
  Value max(Value x, Value y) { return make<arith::MaxSIOp>(x, y); }
  Value max(Value x, int64_t y) { return max(x, like(x, y)); }
  Value isLess(Value x, Value y);
  Value isLess(Value x, int64_t y) { return isLess(x, like(x, y)); }
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
  /// A view of all `count` elements, of which `first` is the first.
  Value viewAll(Value first, Value count);
  /// Access vectors of shared memory, at places that are multiples of their
  /// size.
  Value loadShared(Value tile, Value row, Value column, int64_t width = 4);
  void storeShared(Value vector, Value tile, Value row, Value column);

  /// for i = lower, + step, ... below upper
  Values loop(Value lower, Value upper, int64_t step, ArrayRef<Value> carried,
              llvm::function_ref<Values(Value, ArrayRef<Value>)> body);
  void when(Value condition, llvm::function_ref<void()> body);
  /// The result of `body` if `condition` holds, else `otherwise`.
  Values ifThen(Value condition, ArrayRef<Value> otherwise,
                llvm::function_ref<Values()> body);

  /// Waits for all threads of the block, which then see each other's writes.
  void barrier();

private:
  template <typename OpT>
  Value make(Value x, Value y) {
    return b.createOrFold<OpT>(loc, x, y);
  }
  /// `value` in the type of `x`.
  Value like(Value x, int64_t value) {
    return x.getType().isIndex() ? index(value) : i32(value);
  }
};

} // namespace mlir::zero
