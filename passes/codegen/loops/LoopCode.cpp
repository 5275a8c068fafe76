//===- LoopCode.cpp - Short names for operations of kernels ---------------===//

#include "passes/codegen/loops/LoopCode.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::zero;

Value LoopCode::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value LoopCode::i32(int64_t value) {
  return arith::ConstantIntOp::create(b, loc, value, 32);
}

Value LoopCode::f32(float value) {
  return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
}

Value LoopCode::toI32(Value index) {
  return b.createOrFold<arith::IndexCastOp>(loc, b.getI32Type(), index);
}

Value LoopCode::toIndex(Value i32) {
  return b.createOrFold<arith::IndexCastOp>(loc, b.getIndexType(), i32);
}

Value LoopCode::isLess(Value x, Value y) {
  return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, x, y);
}

Value LoopCode::isBelow(Value x, Value y) {
  return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, x, y);
}

Value LoopCode::isEqual(Value x, Value y) {
  return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, x, y);
}

Value LoopCode::isNot(Value x) {
  return arith::XOrIOp::create(b, loc, x,
                               arith::ConstantIntOp::create(b, loc, 1, 1));
}

Value LoopCode::isLessF(Value x, Value y) {
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, y);
}

Value LoopCode::fma(Value x, Value y, Value z) {
  return math::FmaOp::create(b, loc, x, y, z);
}

Value LoopCode::select(Value condition, Value x, Value y) {
  return arith::SelectOp::create(b, loc, condition, x, y);
}

Value LoopCode::bitcast(Type type, Value x) {
  return x.getType() == type
             ? x
             : arith::BitcastOp::create(b, loc, type, x).getResult();
}

Value LoopCode::lane(Value vector, int64_t i) {
  return vector::ExtractOp::create(b, loc, vector, ArrayRef<int64_t>{i});
}

Value LoopCode::spread(Value x, int64_t width) {
  // Where no register holds one bf16, LLVM widens and rounds it from one block
  // to the next.
  Type type = x.getType();
  if (type.isBF16())
    x = bitcast(b.getI16Type(), x);
  Value all = vector::BroadcastOp::create(
      b, loc, VectorType::get({width}, x.getType()), x);
  return bitcast(VectorType::get({width}, type), all);
}

Value LoopCode::vectorOf(ArrayRef<Value> lanes) {
  auto type = VectorType::get({static_cast<int64_t>(lanes.size())},
                              lanes.front().getType());
  return vector::FromElementsOp::create(b, loc, type, lanes);
}

Value LoopCode::loadOne(Value memref, ValueRange place) {
  return memref::LoadOp::create(b, loc, memref, place);
}

void LoopCode::storeOne(Value value, Value memref, ValueRange place) {
  memref::StoreOp::create(b, loc, value, memref, place);
}

Value LoopCode::viewAs(MemRefType type, Value memory, Value offset) {
  return memref::ViewOp::create(b, loc, type, memory, offset, ValueRange());
}

Value LoopCode::viewAll(Value first, Value count) {
  Type element = cast<MemRefType>(first.getType()).getElementType();
  return memref::ReinterpretCastOp::create(
      b, loc, MemRefType::get({ShapedType::kDynamic}, element), first,
      OpFoldResult(b.getIndexAttr(0)), OpFoldResult(count),
      OpFoldResult(b.getIndexAttr(1)));
}

static int64_t vectorBytes(VectorType type) {
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

Value LoopCode::loadShared(Value tile, Value row, Value column, int64_t width) {
  auto type = VectorType::get(
      {width}, cast<MemRefType>(tile.getType()).getElementType());
  auto load =
      vector::LoadOp::create(b, loc, type, tile, ValueRange{row, column});
  load.setAlignment(vectorBytes(type));
  return load;
}

void LoopCode::storeShared(Value vector, Value tile, Value row, Value column) {
  auto store =
      vector::StoreOp::create(b, loc, vector, tile, ValueRange{row, column});
  store.setAlignment(vectorBytes(cast<VectorType>(vector.getType())));
}

Values LoopCode::loop(Value lower, Value upper, Value step,
                      ArrayRef<Value> carried,
                      llvm::function_ref<Values(Value, ArrayRef<Value>)> body) {
  auto loop = scf::ForOp::create(b, loc, lower, upper, step, Values(carried));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Values yielded =
      body(loop.getInductionVar(), Values(loop.getRegionIterArgs()));
  // Without carried values the loop has its terminator already.
  if (!carried.empty())
    scf::YieldOp::create(b, loc, yielded);
  return Values(loop.getResults());
}

void LoopCode::when(Value condition, llvm::function_ref<void()> body) {
  auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

void LoopCode::whenElse(Value condition, llvm::function_ref<void()> body,
                        llvm::function_ref<void()> otherwise) {
  auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
  b.setInsertionPointToStart(branch.elseBlock());
  otherwise();
}

Values LoopCode::ifThen(Value condition, ArrayRef<Value> otherwise,
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
