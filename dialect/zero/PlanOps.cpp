//===- PlanOps.cpp - Interfaces of the zero operations --------------------===//
//
// Implements the interfaces of PlanInterfaces.td, operation by operation; those
// of the collectives are in CollectiveOps.cpp.
//
//===----------------------------------------------------------------------===//

#include "dialect/zero/Cost.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::detail;

#include "dialect/zero/PlanInterfaces.cpp.inc"

Extent zero::getTypeExtent(Type type, bool ofBucket) {
  if (auto shard = dyn_cast<ShardType>(type))
    return shard.isPart()         ? Extent::Part
           : shard.getRanks() > 1 ? Extent::Slice
                                  : Extent::Whole;
  RankedTensorType tensor = getHeldTensor(type);
  if (!tensor || tensor.getRank() == 0)
    return Extent::Scalar;
  return ofBucket && tensor.getRank() == 1 ? Extent::Whole : Extent::Members;
}

LogicalResult zero::detail::verifyOneTier(Operation *op) {
  Value first;
  auto check = [&](Value value) -> LogicalResult {
    if (!holdsBytes(value.getType()))
      return success();
    if (!first)
      first = value;
    if (getTier(first.getType()) == getTier(value.getType()))
      return success();
    return op->emitOpError("has ")
           << first.getType() << " and " << value.getType()
           << "; its values lie in one tier";
  };
  for (Value value : op->getOperands())
    if (failed(check(value)))
      return failure();
  for (Value value : op->getResults())
    if (failed(check(value)))
      return failure();
  return success();
}

FlatSymbolRefAttr zero::detail::getAxisOf(Operation *op, FlatSymbolRefAttr name,
                                          SymbolTableCollection &symbols) {
  auto bucket = symbols.lookupNearestSymbolFrom<BucketOp>(op, name);
  return bucket ? bucket.getAxisAttr() : FlatSymbolRefAttr();
}

SmallVector<StorageTie>
zero::detail::replaces(unsigned operand, unsigned result, unsigned count) {
  SmallVector<StorageTie> ties;
  for (unsigned i = 0; i != count; ++i)
    ties.push_back({StorageTie::MustReplace, operand + i, result + i});
  return ties;
}

//===----------------------------------------------------------------------===//
// Operations that only name bytes
//===----------------------------------------------------------------------===//

SmallVector<StorageTie> ViewOp::getStorageTies(SymbolTableCollection &symbols) {
  auto bucket =
      symbols.lookupNearestSymbolFrom<BucketOp>(*this, getBucketAttr());
  MemberAttr member = bucket ? bucket.lookup(getMember()) : MemberAttr();
  int64_t offset =
      member ? member.getOffset() * getElementBytes(getFlat().getType()) : 0;
  return {{StorageTie::ResultInOperand, 0, 0, offset}};
}

SmallVector<StorageTie>
FlattenOp::getStorageTies(SymbolTableCollection &symbols) {
  auto bucket =
      symbols.lookupNearestSymbolFrom<BucketOp>(*this, getBucketAttr());
  SmallVector<StorageTie> ties;
  for (auto [i, member] :
       llvm::enumerate(bucket.getMembers().getAsRange<MemberAttr>()))
    ties.push_back(
        {StorageTie::OperandInResult, static_cast<unsigned>(i), 0,
         member.getOffset() * getElementBytes(getResult().getType())});
  return ties;
}

SmallVector<StorageTie> JoinOp::getStorageTies(SymbolTableCollection &) {
  SmallVector<StorageTie> ties;
  int64_t offset = 0;
  for (auto [i, piece] : llvm::enumerate(getPieces())) {
    ties.push_back(
        {StorageTie::OperandInResult, static_cast<unsigned>(i), 0, offset});
    offset += getByteSize(piece.getType());
  }
  return ties;
}

SmallVector<StorageTie> SplitOp::getStorageTies(SymbolTableCollection &) {
  int64_t rows = cast<RankedTensorType>(getWhole().getType()).getDimSize(0);
  int64_t rowBytes = getByteSize(getWhole().getType()) / rows;
  return {{StorageTie::ResultInOperand, 0, 0,
           static_cast<int64_t>(getRow()) * rowBytes}};
}

bool RecordOp::movesNothing() { return true; }
bool WaitOp::movesNothing() { return true; }

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

SmallVector<StorageTie>
LaunchOp::getStorageTies(SymbolTableCollection &symbols) {
  SmallVector<StorageTie> ties;
  auto kernel =
      symbols.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel)
    return ties;
  for (unsigned r = 0, e = kernel.getNumResults(); r != e; ++r) {
    if (std::optional<unsigned> operand = kernel.getMustReplace(r))
      ties.push_back({StorageTie::MustReplace, *operand, r});
    for (int64_t operand : kernel.getMayReplace(r))
      ties.push_back(
          {StorageTie::MayReplace, static_cast<unsigned>(operand), r});
  }
  return ties;
}

int64_t LaunchOp::getFlops(SymbolTableCollection &symbols) {
  auto kernel =
      symbols.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  int64_t flops = 0;
  if (kernel)
    for (Operation &op : kernel.getOps())
      flops += zero::countFlops(&op, symbols);
  return flops;
}

bool UnpackOp::changesFormat() { return true; }
int64_t UnpackOp::getFlops(SymbolTableCollection &) {
  return cast<RankedTensorType>(getResult().getType()).getNumElements();
}

//===----------------------------------------------------------------------===//
// Gradients and the update
//===----------------------------------------------------------------------===//

SmallVector<StorageTie> AccumulateOp::getStorageTies(SymbolTableCollection &) {
  return replaces(0);
}
int64_t AccumulateOp::getFlops(SymbolTableCollection &) {
  return 2 * cast<RankedTensorType>(getSum().getType()).getNumElements();
}

SmallVector<StorageTie> AddLeafOp::getStorageTies(SymbolTableCollection &) {
  return replaces(1, 0, getSums().size());
}
int64_t AddLeafOp::getFlops(SymbolTableCollection &symbols) {
  return int64_t(getSums().size()) *
         countElements(*this, getSums().front(), symbols);
}

SmallVector<StorageTie> SumLeavesOp::getStorageTies(SymbolTableCollection &) {
  return replaces(1);
}
int64_t SumLeavesOp::getFlops(SymbolTableCollection &symbols) {
  return (int64_t(getSums().size()) + 1) *
         countElements(*this, getResult(), symbols);
}

SmallVector<StorageTie> ClearOp::getStorageTies(SymbolTableCollection &) {
  return replaces(0);
}
Extent ClearOp::getExtent(Value value) {
  return value == getValue() ? Extent::None
                             : getTypeExtent(value.getType(), true);
}

Extent SumSquaresOp::getExtent(Value value) {
  return value == getFlat() ? Extent::Slice : Extent::Members;
}
Stream SumSquaresOp::getPreferredStream() {
  // Reads the result of a reduction while it is in the cache.
  auto reduce = getFlat().getDefiningOp<ReduceScatterOp>();
  return reduce ? reduce.getPreferredStream() : Stream::Compute;
}
int64_t SumSquaresOp::getFlops(SymbolTableCollection &symbols) {
  return 2 * countElements(*this, getFlat(), symbols);
}

Stream TotalOp::getPreferredStream() { return Stream::Reduce; }
int64_t TotalOp::getFlops(SymbolTableCollection &symbols) {
  int64_t flops = 0;
  for (Value partials : getPartials())
    flops += countElements(*this, partials, symbols);
  return flops;
}

int64_t ClipOp::getFlops(SymbolTableCollection &symbols) {
  int64_t flops = 4; // root, sum, quotient, minimum
  flops += getWithin().size();
  for (Value partials : getPartials())
    flops += countElements(*this, partials, symbols);
  return flops;
}

SmallVector<StorageTie> UpdateOp::getStorageTies(SymbolTableCollection &) {
  SmallVector<StorageTie> ties;
  if (getParam())
    ties = replaces(0);
  if (OperandRange kept = getKept(); !kept.empty())
    ties.append(replaces(kept.getBeginOperandIndex(), 1, kept.size()));
  return ties;
}
Stream UpdateOp::getPreferredStream() {
  return getTier(getGrad().getType()) == Tier::Device ? Stream::Compute
                                                      : Stream::Host;
}
Extent UpdateOp::getExtent(Value value) {
  Extent extent = getTypeExtent(value.getType(), true);
  bool hasRoom = extent == Extent::Whole || extent == Extent::Part;
  return isSliced() && hasRoom ? Extent::Slice : extent;
}
int64_t UpdateOp::getFlops(SymbolTableCollection &symbols) {
  auto rule =
      symbols.lookupNearestSymbolFrom<OptimizerOp>(*this, getOptimizerAttr());
  // Arithmetic on scalars alone is done once, but counts for every element.
  int64_t each = rule ? countFloatOps(rule.getBody()) : 0;
  return each * countElements(*this, getNext().front(), symbols);
}

//===----------------------------------------------------------------------===//
// Transfers between tiers
//===----------------------------------------------------------------------===//

/// The extent of `value`: that of the side that is less of the bucket.
template <typename TransferOp>
static Extent getTransferExtent(TransferOp op, Value value) {
  if (value == op.getInto()) // overwritten; the rest stays as it is
    return Extent::None;
  bool ofBucket = op.getBucketAttr() != nullptr;
  if (ofBucket)
    for (Extent less : {Extent::Slice, Extent::Part})
      for (Value side : {op.getSource(), op.getResult()})
        if (getTypeExtent(side.getType(), true) == less)
          return less;
  return getTypeExtent(value.getType(), ofBucket);
}

bool FetchOp::crossesTiers() { return true; }
bool FetchOp::bringsState() { return !getInto(); }
SmallVector<StorageTie> FetchOp::getStorageTies(SymbolTableCollection &) {
  return getInto() ? replaces(1) : SmallVector<StorageTie>();
}
Extent FetchOp::getExtent(Value value) {
  return getTransferExtent(*this, value);
}
Stream FetchOp::getPreferredStream() {
  return getTier(getResult().getType()) == Tier::Device ? Stream::H2D
                                                        : Stream::NvmeRead;
}

bool SpillOp::crossesTiers() { return true; }
bool SpillOp::bringsState() { return false; }
SmallVector<StorageTie> SpillOp::getStorageTies(SymbolTableCollection &) {
  return getInto() ? replaces(1) : SmallVector<StorageTie>();
}
Extent SpillOp::getExtent(Value value) {
  return getTransferExtent(*this, value);
}
Stream SpillOp::getPreferredStream() {
  return getTier(getResult().getType()) == Tier::Host ? Stream::D2H
                                                      : Stream::NvmeWrite;
}
