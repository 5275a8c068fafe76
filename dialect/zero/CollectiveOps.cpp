//===- CollectiveOps.cpp - Verifiers and interfaces of the collectives ----===//

#include "dialect/zero/BucketUse.h"
#include "dialect/zero/Cost.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::detail;

/// Fails unless a collective of a bucket names the ranks that it is between
/// exactly where they are in groups.
static LogicalResult verifyOver(Operation *op, std::optional<Over> over,
                                const BucketUse &use) {
  if (over == Over::Context)
    return op->emitOpError("is over context, and buckets are shared by all "
                           "ranks");
  if (over.has_value() == use.hasGroups())
    return success();
  return op->emitOpError() << (over ? "is over groups or members, and the axis "
                                      "has no groups"
                                    : "is between all ranks, and the axis has "
                                      "groups; it is over groups or members");
}

LogicalResult AllGatherOp::verifySymbolUses(SymbolTableCollection &tables) {
  BucketUse use(*this, getBucketAttr(), tables);
  if (!use || failed(verifyOver(*this, getOver(), use))) // (C3)
    return failure();
  const bool ofMembers = getOver() == Over::Members,
             ofGroups = getOver() == Over::Groups;
  Value source = getSource(), result = getResult();
  if (!use.isWhole(source) &&
      !(ofMembers ? use.isPart(source) : use.isSlice(source)) &&
      !(ofGroups && use.isPart(source))) // (C1), (C3)
    return emitOpError("operand must be ")
           << use.either() << ", got " << source.getType();
  if (getElementType(source.getType()) != getElementType(result.getType()))
    return emitOpError("changes the element type from ") // (C2)
           << source.getType() << " to " << result.getType();
  const bool inPlace =
      use.ranks == 1 || use.isWhole(source) || (ofGroups && use.isPart(source));
  const bool isAll = ofGroups && !inPlace ? use.isPart(result)
                                          : use.isWhole(result) || inPlace;
  if (!isAll || (inPlace && result.getType() != source.getType())) // (C2)
    return emitOpError("result must be ")
           << (ofGroups && !inPlace ? "the bucket's part" : "the whole bucket")
           << (inPlace ? ", of the operand's type" : "") << ", got "
           << result.getType();
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
  if (!use || failed(verifyOver(*this, getOver(), use))) // (C5)
    return failure();
  const bool ofMembers = getOver() == Over::Members,
             ofGroups = getOver() == Over::Groups;
  if (!use.isWhole(getSource()) &&
      !(ofGroups && use.isPart(getSource()))) // (C1), (C5)
    return emitOpError("operand must be the whole bucket of ")
           << use.bucket.getElements() << " elements"
           << (ofGroups ? ", or its part" : "") << ", got "
           << getSource().getType();
  Type element = getElementType(getSource().getType()),
       sum = getElementType(getResult().getType());
  const bool isBlock = isa<QuantizedBlockType>(element);
  if (isBlock ? !(sum.isF32() || sum.isBF16() || sum.isF16()) // (C4)
              : element != sum &&
                    !(sum.isF32() && (element.isBF16() || element.isF16())))
    return emitOpError("changes the element type from ") // (C2)
           << getSource().getType() << " to " << getResult().getType();
  const int64_t ranks = countRanks(*this, tables);
  if (getTree() && isBlock) // (C6)
    return emitOpError("adds up blocks of ")
           << element << " as a tree; they are added in rank order";
  if (getTree() && (getInto() || !llvm::isPowerOf2_64(uint64_t(ranks)))) // (C6)
    return emitOpError("adds up a tree of ")
           << ranks << " ranks" << (getInto() ? " into a value" : "")
           << "; a tree has a power of two of them, and only them";
  if (getInto() && isInPlace()) // (C3)
    return emitOpError("is in place and cannot add into another value");
  if (!(ofMembers ? use.isPart(getResult()) : use.isSlice(getResult())) &&
      !isInPlace()) // (C2), (C5)
    return emitOpError("result must be the shard by ")
           << (ofMembers ? use.group : use.ranks)
           << (ofMembers ? " of " + std::to_string(use.ranks) : "")
           << ", or of the operand's type, got " << getResult().getType();
  return success();
}

/// Whether both are all of a bucket, or a part, or a slice.
static bool areAsMuch(Type a, Type b) {
  return isPart(a) == isPart(b) && isSlice(a) == isSlice(b);
}

/// Fails unless `narrow` is as much of a bucket as `wide`, in fewer bits.
static LogicalResult verifyElements(Operation *op, FlatSymbolRefAttr bucket,
                                    Value wide, Value narrow,
                                    SymbolTableCollection &tables) {
  BucketUse use(op, bucket, tables);
  if (!use)
    return failure();
  if (!use.isAny(wide)) // (C1), (C2)
    return op->emitOpError("works on ")
           << use.either() << ", got " << wide.getType();
  Type from = getElementType(wide.getType()),
       to = getElementType(narrow.getType());
  if (!use.isAny(narrow) || !areAsMuch(wide.getType(), narrow.getType()) ||
      !(from.isF32() || from.isBF16() || from.isF16()) ||
      !(isa<QuantizedBlockType>(to) ||
        (to.isBF16() && from.isF32()))) // (C1), (C2)
    return op->emitOpError("has ")
           << wide.getType() << " in " << narrow.getType()
           << "; blocks hold as much of f32, bf16 or f16, and bf16 of f32";
  return success();
}

LogicalResult QuantizeOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyElements(*this, getBucketAttr(), getSource(), getResult(),
                        tables);
}

LogicalResult DequantizeOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyElements(*this, getBucketAttr(), getResult(), getSource(),
                        tables);
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
  auto axis = lookup<AxisOp>(*this, getAxisAttr(), tables);
  if (!axis)
    return failure();
  if (getTree() ? !llvm::isPowerOf2_64(uint64_t(axis.getSize()))
                : getBySlice()) // (C2)
    return emitOpError() << (getTree() ? "adds up a tree of "
                                       : "has no tree, of ")
                         << axis.getSize()
                         << " ranks; a tree has a power of two of them, and "
                            "only it may go by slices";
  return success();
}

LogicalResult AllToAllOp::verify() {
  RankedTensorType type = getSource().getType();
  if (type.getRank() == 0 || type.getDimSize(0) < 2) // (C1)
    return emitOpError("has no piece for each of 2 ranks or more, got ")
           << type;
  return success();
}

LogicalResult AllToAllOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (!isa<ProgramOp>((*this)->getParentOp()))
    return success();
  FlatSymbolRefAttr name = getAxisRef(tables);
  auto axis = name ? lookup<AxisOp>(*this, name, tables) : AxisOp();
  const int64_t shared = axis ? axis.getContextSize() : 1;
  if (int64_t pieces = getSource().getType().getDimSize(0);
      pieces != shared) // (C1)
    return emitOpError("has ")
           << pieces << " pieces, and "
           << (shared > 1 ? std::to_string(shared) : std::string("no"))
           << " ranks share a sequence";
  return success();
}

//===----------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------===//

/// Of a value with all parts of a collective: over groups, a member's part.
static Extent getWholeExtent(std::optional<Over> over) {
  return over == Over::Groups ? Extent::Part : Extent::Whole;
}
/// Of a rank's own part: over members, that of a member.
static Extent getOwnExtent(std::optional<Over> over) {
  return over == Over::Members ? Extent::Part : Extent::Slice;
}

// Collectives over groups have streams of their own: they are on other links.
Stream AllGatherOp::getPreferredStream() {
  return getOver() == Over::Groups ? Stream::GatherGroups : Stream::Gather;
}
SmallVector<StorageTie> AllGatherOp::getStorageTies(SymbolTableCollection &) {
  return isInPlace() ? replaces(0) : SmallVector<StorageTie>();
}
Extent AllGatherOp::getExtent(Value value) {
  return value == getResult() ? getWholeExtent(getOver())
                              : getOwnExtent(getOver());
}
bool AllGatherOp::bringsState() { return true; }
CollectiveKind AllGatherOp::getKind() { return CollectiveKind::AllGather; }
Value AllGatherOp::getWhole() { return getResult(); }
BytesUse AllGatherOp::getBytesUse() { return BytesUse::Communication; }

Stream ReduceScatterOp::getPreferredStream() {
  return getOver() == Over::Groups ? Stream::ReduceGroups : Stream::Reduce;
}
SmallVector<StorageTie>
ReduceScatterOp::getStorageTies(SymbolTableCollection &) {
  if (isInPlace())
    return replaces(0);
  return getInto() ? replaces(1) : SmallVector<StorageTie>();
}
Extent ReduceScatterOp::getExtent(Value value) {
  return value == getSource() ? getWholeExtent(getOver())
                              : getOwnExtent(getOver());
}
CollectiveKind ReduceScatterOp::getKind() {
  return CollectiveKind::ReduceScatter;
}
Value ReduceScatterOp::getWhole() { return getSource(); }
int64_t ReduceScatterOp::getFlops(SymbolTableCollection &symbols) {
  // An addition for each peer and for `into`, and the factor.
  int64_t elements = countElements(*this, getResult(), symbols),
          ranks = countRanks(*this, symbols);
  return elements * (ranks + (getInto() ? 1 : 0));
}

bool QuantizeOp::changesFormat() { return true; }
bool QuantizeOp::bringsState() { return true; }
Stream QuantizeOp::getPreferredStream() {
  // Beside what computes, right before the collective.
  for (Operation *user : getResult().getUsers())
    if (auto collective = dyn_cast<CollectiveOpInterface>(user))
      return cast<PlanOpInterface>(user).getPreferredStream();
  return Stream::Compute;
}
int64_t QuantizeOp::getFlops(SymbolTableCollection &symbols) {
  // The largest value, and a product for each.
  return 2 * countElements(*this, getSource(), symbols);
}
bool DequantizeOp::changesFormat() { return true; }
int64_t DequantizeOp::getFlops(SymbolTableCollection &symbols) {
  return countElements(*this, getResult(), symbols);
}

CollectiveKind AllReduceOp::getKind() { return CollectiveKind::AllReduce; }
Stream AllReduceOp::getPreferredStream() { return Stream::Reduce; }
FlatSymbolRefAttr AllReduceOp::getAxisRef(SymbolTableCollection &) {
  return getAxisAttr();
}
Value AllReduceOp::getWhole() { return getValue(); }
int64_t AllReduceOp::getWireBytes(int64_t ranks, int64_t bytes) {
  return (ranks - 1) * bytes; // every peer's values
}
// The few values travel in the control plane.
SmallVector<unsigned> AllReduceOp::getExportedOperands() { return {}; }
int64_t AllReduceOp::getFlops(SymbolTableCollection &symbols) {
  return countElements(*this, getValue(), symbols) * countRanks(*this, symbols);
}

Stream AllToAllOp::getPreferredStream() { return Stream::Context; }
CollectiveKind AllToAllOp::getKind() { return CollectiveKind::AllToAll; }
FlatSymbolRefAttr AllToAllOp::getAxisRef(SymbolTableCollection &) {
  auto axes = (*this)->getParentOfType<ModuleOp>().getOps<AxisOp>();
  return axes.empty() ? FlatSymbolRefAttr()
                      : FlatSymbolRefAttr::get(*axes.begin());
}
std::optional<Over> AllToAllOp::getRanksOver() { return Over::Context; }
Value AllToAllOp::getWhole() { return getSource(); }
BytesUse AllToAllOp::getBytesUse() { return BytesUse::Communication; }
