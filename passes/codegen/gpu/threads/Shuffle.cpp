//===- Shuffle.cpp - Values of other threads of a half-warp ---------------===//

#include "passes/codegen/gpu/threads/Shuffle.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::zero;

void zero::declareHalfWarpFunctions(ModuleOp module) {
  if (module.lookupSymbol(kShuffle))
    return;
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  Type i32 = b.getI32Type();
  func::FuncOp::create(b, module.getLoc(), kShuffle,
                       b.getFunctionType({i32, i32}, i32))
      .setPrivate();
  for (StringRef name : {kSync, kBarrier})
    func::FuncOp::create(b, module.getLoc(), name, b.getFunctionType({}, {}))
        .setPrivate();
}

/// Shuffles `word`, an i32.
static Value shuffleWord(OpBuilder &b, Location loc, Value word, Value from) {
  return func::CallOp::create(b, loc, kShuffle, b.getI32Type(),
                              ValueRange{word, from})
      .getResult(0);
}

static Value shuffleScalar(OpBuilder &b, Location loc, Value value,
                           Value from) {
  Type type = value.getType(), i32 = b.getI32Type();
  unsigned bits = type.getIntOrFloatBitWidth();
  Type integer = b.getIntegerType(bits);
  if (type != integer)
    value = arith::BitcastOp::create(b, loc, integer, value);
  if (bits == 64) {
    Value half = arith::ConstantIntOp::create(b, loc, 32, 64);
    Value high = arith::ShRUIOp::create(b, loc, value, half);
    auto move = [&](Value word) -> Value {
      word = arith::TruncIOp::create(b, loc, i32, word);
      return arith::ExtUIOp::create(b, loc, integer,
                                    shuffleWord(b, loc, word, from));
    };
    Value low = move(value);
    value = arith::OrIOp::create(
        b, loc, low, arith::ShLIOp::create(b, loc, move(high), half));
  } else if (bits == 32) {
    value = shuffleWord(b, loc, value, from);
  } else {
    value = arith::ExtUIOp::create(b, loc, i32, value);
    value = arith::TruncIOp::create(b, loc, integer,
                                    shuffleWord(b, loc, value, from));
  }
  return type == integer ? value
                         : arith::BitcastOp::create(b, loc, type, value);
}

Value zero::shuffle(OpBuilder &b, Location loc, Value value, Value from) {
  from = arith::IndexCastOp::create(b, loc, b.getI32Type(), from);
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector)
    return shuffleScalar(b, loc, value, from);
  SmallVector<Value> lanes;
  for (int64_t i = 0; i < vector.getNumElements(); ++i) {
    Value lane = vector::ExtractOp::create(b, loc, value, ArrayRef<int64_t>{i});
    lanes.push_back(shuffleScalar(b, loc, lane, from));
  }
  return vector::FromElementsOp::create(b, loc, vector, lanes);
}

Value zero::shuffleXor(OpBuilder &b, Location loc, Value value, Value thread,
                       int64_t apart) {
  Value from = arith::XOrIOp::create(
      b, loc, thread, arith::ConstantIndexOp::create(b, loc, apart));
  return shuffle(b, loc, value, from);
}

void zero::syncHalfWarp(OpBuilder &b, Location loc) {
  func::CallOp::create(b, loc, kSync, TypeRange(), ValueRange());
}

void zero::syncBlock(OpBuilder &b, Location loc) {
  func::CallOp::create(b, loc, kBarrier, TypeRange(), ValueRange());
}
