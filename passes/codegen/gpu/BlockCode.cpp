//===- BlockCode.cpp - Code of a thread of a block ------------------------===//

#include "passes/codegen/gpu/BlockCode.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/codegen/gpu/Shuffle.h"

using namespace mlir;
using namespace mlir::zero;

Value BlockCode::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value BlockCode::i32(int64_t value) {
  return arith::ConstantIntOp::create(b, loc, value, 32);
}

Value BlockCode::f32(float value) {
  return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
}

Value BlockCode::toI32(Value index) {
  return b.createOrFold<arith::IndexCastOp>(loc, b.getI32Type(), index);
}

Value BlockCode::toIndex(Value i32) {
  return b.createOrFold<arith::IndexCastOp>(loc, b.getIndexType(), i32);
}

Value BlockCode::isLess(Value x, Value y) {
  return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, x, y);
}

Value BlockCode::isLessF(Value x, Value y) {
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, y);
}

Value BlockCode::fma(Value x, Value y, Value z) {
  return math::FmaOp::create(b, loc, x, y, z);
}

Value BlockCode::select(Value condition, Value x, Value y) {
  return arith::SelectOp::create(b, loc, condition, x, y);
}

Value BlockCode::bitcast(Type type, Value x) {
  return x.getType() == type
             ? x
             : arith::BitcastOp::create(b, loc, type, x).getResult();
}

Value BlockCode::lane(Value vector, int64_t i) {
  return vector::ExtractOp::create(b, loc, vector, ArrayRef<int64_t>{i});
}

Value BlockCode::spread(Value x, int64_t width) {
  return vector::BroadcastOp::create(b, loc,
                                     VectorType::get({width}, x.getType()), x);
}

Value BlockCode::vectorOf(ArrayRef<Value> lanes) {
  auto type = VectorType::get({static_cast<int64_t>(lanes.size())},
                              lanes.front().getType());
  return vector::FromElementsOp::create(b, loc, type, lanes);
}

Value BlockCode::viewAll(Value first, Value count) {
  Type element = cast<MemRefType>(first.getType()).getElementType();
  return memref::ReinterpretCastOp::create(
      b, loc, MemRefType::get({ShapedType::kDynamic}, element), first,
      OpFoldResult(b.getIndexAttr(0)), OpFoldResult(count),
      OpFoldResult(b.getIndexAttr(1)));
}

static int64_t bytesOf(VectorType type) {
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

Value BlockCode::loadShared(Value tile, Value row, Value column,
                            int64_t width) {
  auto type = VectorType::get(
      {width}, cast<MemRefType>(tile.getType()).getElementType());
  auto load =
      vector::LoadOp::create(b, loc, type, tile, ValueRange{row, column});
  load.setAlignment(bytesOf(type));
  return load;
}

void BlockCode::storeShared(Value vector, Value tile, Value row, Value column) {
  auto store =
      vector::StoreOp::create(b, loc, vector, tile, ValueRange{row, column});
  store.setAlignment(bytesOf(cast<VectorType>(vector.getType())));
}

Values
BlockCode::loop(Value lower, Value upper, int64_t step, ArrayRef<Value> carried,
                llvm::function_ref<Values(Value, ArrayRef<Value>)> body) {
  auto loop =
      scf::ForOp::create(b, loc, lower, upper, index(step), Values(carried));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Values yielded =
      body(loop.getInductionVar(), Values(loop.getRegionIterArgs()));
  // Without carried values the loop has its terminator already.
  if (!carried.empty())
    scf::YieldOp::create(b, loc, yielded);
  return Values(loop.getResults());
}

void BlockCode::when(Value condition, llvm::function_ref<void()> body) {
  auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

Values BlockCode::ifThen(Value condition, ArrayRef<Value> otherwise,
                         llvm::function_ref<Values()> body) {
  auto branch = scf::IfOp::create(b, loc, TypeRange(ValueRange(otherwise)),
                                  condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, loc, body());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, Values(otherwise));
  return Values(branch.getResults());
}

void BlockCode::barrier() { syncBlock(b, loc); }
