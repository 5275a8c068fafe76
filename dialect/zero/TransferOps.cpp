//===- TransferOps.cpp - Verifiers of transfers between tiers -------------===//

#include "dialect/zero/BucketUse.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::detail;

/// Fails unless `op` moves to the next tier, `step` farther from the device,
/// and `into` has the result's type.
template <typename TransferOp>
static LogicalResult verifyTiers(TransferOp op, int step) {
  Tier from = getTier(op.getSource().getType()),
       to = getTier(op.getResult().getType());
  if (static_cast<int>(to) - static_cast<int>(from) != step) // (C1)
    return op.emitOpError("goes from ")
           << stringifyTier(from) << " to " << stringifyTier(to)
           << "; it goes one tier " << (step < 0 ? "nearer to" : "farther from")
           << " the device";
  if (op.getInto() &&
      op.getInto().getType() != op.getResult().getType()) // (C3)
    return op.emitOpError("goes into ")
           << op.getInto().getType() << ", which is not the result's type "
           << op.getResult().getType();
  Type source = op.getSource().getType(), result = op.getResult().getType();
  if (getElementType(source) != getElementType(result) ||
      (!op.getBucketAttr() &&
       (!getHeldTensor(source) ||
        getHeldTensor(source) != getHeldTensor(result)))) // (C2)
    return op.emitOpError("changes ")
           << source << " to " << result
           << "; only the tier changes, and shards name their bucket";
  return success();
}

/// Fails unless both sides are the whole bucket, or both its slice, or one side
/// is whole: the source if `mayTakeSlice`, else the result, which then needs
/// `into`.
template <typename TransferOp>
static LogicalResult verifyBucket(TransferOp op, SymbolTableCollection &tables,
                                  bool mayTakeSlice) {
  if (!op.getBucketAttr())
    return success();
  BucketUse use(op, op.getBucketAttr(), tables);
  if (!use)
    return failure();
  Value source = op.getSource(), result = op.getResult();
  for (Value value : {source, result})
    if (isa<StoredType>(value.getType()) || !use.isAny(value)) // (C2)
      return op.emitOpError("moves ")
             << use.either() << ", got " << value.getType();
  auto room = [&](Value value) { // of the bucket: all, a part, a slice
    return use.isWhole(value) ? 2 : use.isPart(value) ? 1 : 0;
  };
  bool takesSlice = room(source) > room(result);
  bool givesSlice = room(source) < room(result);
  if ((takesSlice && !mayTakeSlice) ||
      (givesSlice && (mayTakeSlice || !op.getInto()))) // (C2)
    return op.emitOpError("makes ")
           << result.getType() << " of " << source.getType()
           << "; a slice is spilled of a whole value, or fetched into one";
  return success();
}

LogicalResult FetchOp::verify() { return verifyTiers(*this, -1); }
LogicalResult FetchOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyBucket(*this, tables, /*mayTakeSlice=*/false);
}

LogicalResult SpillOp::verify() { return verifyTiers(*this, 1); }
LogicalResult SpillOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyBucket(*this, tables, /*mayTakeSlice=*/true);
}
