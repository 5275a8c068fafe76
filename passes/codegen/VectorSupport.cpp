//===- VectorSupport.cpp - Masked vector loops ----------------------------===//

#include "passes/codegen/VectorLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::zero;

static std::optional<int64_t> constantOf(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.getSExtValue();
  return std::nullopt;
}

SmallVector<Value>
zero::forVectors(OpBuilder &b, Location loc, Value lower, Value upper,
                 ValueRange carried,
                 llvm::function_ref<SmallVector<Value>(OpBuilder &, Value,
                                                       Value, ValueRange)>
                     body) {
  Value lanes = arith::ConstantIndexOp::create(b, loc, kLanes);
  std::optional<int64_t> low = constantOf(lower), high = constantOf(upper);
  bool isStatic = low && high;

  Value wholeEnd;
  if (isStatic) {
    wholeEnd = arith::ConstantIndexOp::create(
        b, loc, *low + (*high - *low) / kLanes * kLanes);
  } else {
    Value extent = arith::SubIOp::create(b, loc, upper, lower);
    Value rest = arith::RemUIOp::create(b, loc, extent, lanes);
    wholeEnd = arith::SubIOp::create(b, loc, upper, rest);
  }

  SmallVector<Value> values(carried);
  if (!isStatic || *high - *low >= kLanes) {
    auto loop = scf::ForOp::create(b, loc, lower, wholeEnd, lanes, carried);
    OpBuilder inner = OpBuilder::atBlockBegin(loop.getBody());
    SmallVector<Value> next =
        body(inner, loop.getInductionVar(), Value(), loop.getRegionIterArgs());
    inner.setInsertionPointToEnd(loop.getBody());
    if (!carried.empty() || loop.getBody()->empty() ||
        !loop.getBody()->back().hasTrait<OpTrait::IsTerminator>())
      scf::YieldOp::create(inner, loc, next);
    values.assign(loop.getResults().begin(), loop.getResults().end());
  }

  auto tail = [&](OpBuilder &at, ValueRange current) {
    Value rest = arith::SubIOp::create(at, loc, upper, wholeEnd);
    Value mask = vector::CreateMaskOp::create(
        at, loc, VectorType::get({kLanes}, at.getI1Type()), ValueRange{rest});
    return body(at, wholeEnd, mask, current);
  };
  if (isStatic) {
    if ((*high - *low) % kLanes)
      values = tail(b, values);
    return values;
  }
  Value more =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, wholeEnd, upper);
  SmallVector<Type> types(ValueRange(values).getTypes());
  auto branch = scf::IfOp::create(b, loc, types, more, /*addThenBlock=*/true,
                                  /*addElseBlock=*/!values.empty());
  OpBuilder then = OpBuilder::atBlockBegin(branch.thenBlock());
  SmallVector<Value> next = tail(then, values);
  if (branch.thenBlock()->empty() ||
      !branch.thenBlock()->back().hasTrait<OpTrait::IsTerminator>()) {
    then.setInsertionPointToEnd(branch.thenBlock());
    scf::YieldOp::create(then, loc, next);
  }
  if (!values.empty()) {
    OpBuilder otherwise = OpBuilder::atBlockEnd(branch.elseBlock());
    scf::YieldOp::create(otherwise, loc, values);
  }
  return SmallVector<Value>(branch.getResults());
}

Value zero::loadVector(OpBuilder &b, Location loc, Value memref,
                       ValueRange indices, Value mask) {
  auto type = VectorType::get(
      {kLanes}, cast<MemRefType>(memref.getType()).getElementType());
  if (!mask)
    return vector::LoadOp::create(b, loc, type, memref, indices);
  Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  return vector::MaskedLoadOp::create(b, loc, type, memref, indices, mask,
                                      zeros);
}

void zero::storeVector(OpBuilder &b, Location loc, Value vector, Value memref,
                       ValueRange indices, Value mask) {
  if (!mask)
    vector::StoreOp::create(b, loc, vector, memref, indices);
  else
    vector::MaskedStoreOp::create(b, loc, memref, indices, mask, vector);
}

Value zero::combineLanes(OpBuilder &b, Location loc, OperationName name,
                         Value vector) {
  for (int64_t half = kLanes / 2; half >= 1; half /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t i = 0; i < half; ++i) {
      low.push_back(i);
      high.push_back(half + i);
    }
    Value x = vector::ShuffleOp::create(b, loc, vector, vector, low);
    Value y = vector::ShuffleOp::create(b, loc, vector, vector, high);
    OperationState state(loc, name, ValueRange{x, y}, x.getType());
    vector = b.create(state)->getResult(0);
  }
  return vector::ExtractOp::create(b, loc, vector, ArrayRef<int64_t>{0});
}
