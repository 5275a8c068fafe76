//===- VectorSupport.cpp - Masked vector loops ----------------------------===//

#include "passes/codegen/VectorLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::zero;

SmallVector<Value>
zero::forVectors(OpBuilder &b, Location loc, Value lower, Value upper,
                 ValueRange carried,
                 llvm::function_ref<SmallVector<Value>(OpBuilder &, Value,
                                                       Value, ValueRange)>
                     body) {
  Value lanes = arith::ConstantIndexOp::create(b, loc, kLanes);
  std::optional<int64_t> low = getConstantIntValue(lower),
                         high = getConstantIntValue(upper);
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
  if (!isStatic || *high - *low >= kLanes)
    values =
        scf::ForOp::create(
            b, loc, lower, wholeEnd, lanes, carried,
            [&](OpBuilder &at, Location, Value index, ValueRange current) {
              scf::YieldOp::create(at, loc, body(at, index, Value(), current));
            })
            .getResults();

  auto tail = [&](OpBuilder &at) {
    Value rest = arith::SubIOp::create(at, loc, upper, wholeEnd);
    Value mask = vector::CreateMaskOp::create(
        at, loc, VectorType::get({kLanes}, at.getI1Type()), ValueRange{rest});
    return body(at, wholeEnd, mask, values);
  };
  if (isStatic)
    return (*high - *low) % kLanes ? tail(b) : values;
  Value more =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, wholeEnd, upper);
  auto masked = [&](OpBuilder &at, Location) {
    scf::YieldOp::create(at, loc, tail(at));
  };
  auto none = [&](OpBuilder &at, Location) {
    scf::YieldOp::create(at, loc, values);
  };
  if (values.empty())
    return scf::IfOp::create(b, loc, more, masked).getResults();
  return scf::IfOp::create(b, loc, more, masked, none).getResults();
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

Value zero::combine(OpBuilder &b, Location loc, OperationName name, Value x,
                    Value y) {
  OperationState state(loc, name, ValueRange{x, y}, x.getType());
  return b.create(state)->getResult(0);
}

Value zero::combineLanes(OpBuilder &b, Location loc, OperationName name,
                         Value vector) {
  for (int64_t half = kLanes / 2; half >= 1; half /= 2) {
    auto low = llvm::to_vector(llvm::seq(half)),
         high = llvm::to_vector(llvm::seq(half, 2 * half));
    Value x = vector::ShuffleOp::create(b, loc, vector, vector, low);
    Value y = vector::ShuffleOp::create(b, loc, vector, vector, high);
    vector = combine(b, loc, name, x, y);
  }
  return vector::ExtractOp::create(b, loc, vector, ArrayRef<int64_t>{0});
}
