//===- CollectiveOps.cpp - Verifiers of the collectives -------------------===//

#include "dialect/zero/BucketUse.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::detail;

LogicalResult AllGatherOp::verifySymbolUses(SymbolTableCollection &tables) {
  BucketUse use(*this, getBucketAttr(), tables);
  if (!use)
    return failure();
  if (!use.isSlice(getSource()) && !use.isWhole(getSource())) // (C1)
    return emitOpError("operand must be ")
           << use.either() << ", got " << getSource().getType();
  if (getElementType(getSource().getType()) !=
      getElementType(getResult().getType()))
    return emitOpError("changes the element type from ") // (C2)
           << getSource().getType() << " to " << getResult().getType();
  bool inPlace = !use.isSlice(getSource()) || use.ranks == 1;
  if (!use.isWhole(getResult()) ||
      (inPlace && getResult().getType() != getSource().getType())) // (C2)
    return emitOpError("result must be the whole bucket")
           << (inPlace ? ", of the operand's type" : "") << ", got "
           << getResult().getType();
  return success();
}

LogicalResult ReduceScatterOp::verify() {
  if (getInto() && getInto().getType() != getResult().getType()) // (C3)
    return emitOpError("adds into ")
           << getInto().getType() << ", which is not the result's type "
           << getResult().getType();
  return success();
}

LogicalResult ReduceScatterOp::verifySymbolUses(SymbolTableCollection &tables) {
  BucketUse use(*this, getBucketAttr(), tables);
  if (!use)
    return failure();
  if (!use.isWhole(getSource())) // (C1)
    return emitOpError("operand must be the whole bucket of ")
           << use.bucket.getElements() << " elements, got "
           << getSource().getType();
  Type element = getElementType(getSource().getType()),
       sum = getElementType(getResult().getType());
  if (element != sum && !(sum.isF32() && (element.isBF16() || element.isF16())))
    return emitOpError("changes the element type from ") // (C2)
           << getSource().getType() << " to " << getResult().getType();
  if (getInto() && isInPlace()) // (C3)
    return emitOpError("is in place and cannot add into another value");
  if (!use.isSlice(getResult()) && !isInPlace()) // (C2)
    return emitOpError("result must be the shard by ")
           << use.ranks << ", or of the operand's type, got "
           << getResult().getType();
  return success();
}

LogicalResult AllReduceOp::verify() {
  Type element = cast<RankedTensorType>(getValue().getType()).getElementType();
  if (!(element.isF32() || element.isF64()) ||
      getByteSize(getValue().getType()) > kMaxBytes) // (C1)
    return emitOpError("takes at most ")
           << kMaxBytes << " bytes of f32 or f64, got " << getValue().getType();
  return success();
}

LogicalResult AllReduceOp::verifySymbolUses(SymbolTableCollection &tables) {
  return success(lookup<AxisOp>(*this, getAxisAttr(), tables) != nullptr);
}
