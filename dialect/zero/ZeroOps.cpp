//===- ZeroOps.cpp - Verifiers and syntax of the zero operations ----------===//

#include "dialect/zero/BucketUse.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::detail;

/// Parses the type of an optional operand, `_` if it is absent.
static ParseResult parseTypeOrNone(OpAsmParser &parser, Type &type) {
  if (succeeded(parser.parseOptionalKeyword("_")))
    return success();
  return parser.parseType(type);
}
static void printTypeOrNone(OpAsmPrinter &printer, Operation *, Type type) {
  if (type)
    printer << type;
  else
    printer << '_';
}

#define GET_OP_CLASSES
#include "dialect/zero/ZeroOps.cpp.inc"

//===----------------------------------------------------------------------===//
// axis and bucket
//===----------------------------------------------------------------------===//

LogicalResult AxisOp::verify() {
  auto size = static_cast<int64_t>(getSize());
  if (size < 1) // (C1)
    return emitOpError("size must be positive, got ") << size;
  if (size > kMaxRanks) // (C1)
    return emitOpError("size must be at most ")
           << kMaxRanks << ", got " << size;
  if (std::optional<int64_t> group = getGroup();
      group && (*group < 2 || *group >= size || size % *group)) // (C2)
    return emitOpError("group must be a divisor of ")
           << size << " from 2 to " << size / 2 << ", got " << *group;
  if (std::optional<int64_t> shared = getShared();
      shared && (*shared < 2 || size % *shared)) // (C3)
    return emitOpError("context must be a divisor of ")
           << size << " from 2 on, got " << *shared;
  return success();
}

MemberAttr BucketOp::lookup(StringRef name) {
  for (auto member : getMembers().getAsRange<MemberAttr>())
    if (member.getName() == name)
      return member;
  return {};
}

int64_t BucketOp::getPadding() {
  int64_t padding = getElements();
  for (auto member : getMembers().getAsRange<MemberAttr>())
    padding -= getSizeOf(member);
  return padding;
}

int64_t BucketOp::getSizeOf(MemberAttr member) {
  std::optional<Packing> packing = getPacking();
  return packing ? getPackedBytes(*packing, member.getNumElements())
                 : member.getNumElements();
}

SmallVector<int64_t> BucketOp::getViewShape(MemberAttr member) {
  return getPacking() ? SmallVector<int64_t>{getSizeOf(member)}
                      : SmallVector<int64_t>(member.getShape());
}

/// Whether the rows of `member` are whole runs, except for the last run of
/// the parameter.
static bool isOfGroups(MemberAttr member) {
  bool isLast =
      member.getFirstRow() + member.getShape().front() == member.getRows();
  return member.getFirstElement() % kPackedRunElements == 0 &&
         (isLast || member.getNumElements() % kPackedRunElements == 0);
}

LogicalResult BucketOp::verify() {
  if (static_cast<int64_t>(getElements()) < 1) // (C3)
    return emitOpError("has ")
           << static_cast<int64_t>(getElements()) << " elements";
  if (getPacking() && !getFrozen()) // (C6)
    return emitOpError("is packed, and not frozen");
  int64_t end = 0;
  llvm::StringSet<> names;
  for (auto member : getMembers().getAsRange<MemberAttr>()) {
    if (member.getOffset() < end ||
        member.getOffset() + getSizeOf(member) >
            static_cast<int64_t>(getElements())) // (C1)
      return emitOpError("member ")
             << member.getName() << " at " << member.getOffset() << " of "
             << getSizeOf(member)
             << " elements overlaps the member before it or leaves the "
             << getElements() << " elements of the bucket";
    if (member.getOffset() % kAlignment) // (C2)
      return emitOpError("member ")
             << member.getName() << " starts at " << member.getOffset()
             << ", which is no multiple of " << kAlignment;
    if (!names.insert(member.getName()).second) // (C4)
      return emitOpError("has two members called ") << member.getName();
    if (getFrozen() && member.getDecay()) // (C5)
      return emitOpError("is frozen, and member ")
             << member.getName() << " decays";
    if (getPacking() && member.isPiece() && !isOfGroups(member)) // (C7)
      return emitOpError("is packed, and the rows of member ")
             << member.getName() << " from " << member.getFirstRow()
             << " on are not whole runs of " << kPackedRunElements
             << " elements";
    end = member.getOffset() + getSizeOf(member);
  }
  return success();
}

LogicalResult BucketOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto axis = detail::lookup<AxisOp>(*this, getAxisAttr(), tables);
  if (!axis)
    return failure();
  if (getElements() % (axis.getSize() * kAlignment)) // (C3)
    return emitOpError() << getElements() << " elements are no multiple of "
                         << axis.getSize() << " ranks x " << kAlignment;
  return success();
}

//===----------------------------------------------------------------------===//
// optimizer
//===----------------------------------------------------------------------===//

ParseResult OptimizerOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  ArrayAttr slots, scalars;
  if (parser.parseSymbolName(name, "sym_name", result.attributes) ||
      parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren,
                               /*allowType=*/true) ||
      parser.parseKeyword("state") ||
      parser.parseAttribute(slots, "slots", result.attributes) ||
      parser.parseKeyword("scalars") ||
      parser.parseAttribute(scalars, "scalars", result.attributes) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  return parser.parseRegion(*result.addRegion(), arguments);
}

void OptimizerOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << '(';
  llvm::interleaveComma(
      getBody().getArguments(), printer,
      [&](BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ") state " << getSlots() << " scalars " << getScalars() << ' ';
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {"sym_name", "slots", "scalars"});
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult OptimizerOp::verify() {
  Block &block = getBody().front();
  size_t expected = 2 + getSlots().size() + getScalars().size();
  if (block.getNumArguments() != expected ||
      !llvm::all_of(block.getArgumentTypes(),
                    [](Type type) { return type.isF32(); })) // (C1)
    return emitOpError("takes ")
           << expected
           << " arguments of type f32: the parameter, the gradient, "
           << getSlots().size() << " state slots and " << getScalars().size()
           << " scalars";
  if (block.empty() ||
      block.getTerminator()->getNumOperands() != 1 + getSlots().size() ||
      !llvm::all_of(block.getTerminator()->getOperandTypes(),
                    [](Type type) { return type.isF32(); })) // (C2)
    return emitOpError("yields the parameter and ")
           << getSlots().size() << " state slots, all f32";
  for (Operation &op : block.without_terminator()) {
    StringRef dialect = op.getName().getDialectNamespace();
    if ((dialect != "arith" && dialect != "math") ||
        !llvm::all_of(op.getResultTypes(),
                      [](Type type) { return type.isIntOrFloat(); })) // (C3)
      return op.emitOpError(
          "is in an optimizer, which is made of scalar operations "
          "of arith and math");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// view and flatten
//===----------------------------------------------------------------------===//

LogicalResult ViewOp::verify() {
  if (flatElements(getFlat().getType(), /*allowSlices=*/false) < 0) // (C1)
    return emitOpError(
               "needs the whole bucket: a flat tensor or a shard by 1, got ")
           << getFlat().getType();
  return success();
}

LogicalResult ViewOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto bucket = detail::lookup<BucketOp>(*this, getBucketAttr(), tables);
  if (!bucket)
    return failure();
  if (flatElements(getFlat().getType(), false) !=
      static_cast<int64_t>(bucket.getElements())) // (C1)
    return emitOpError("operand must have the ")
           << bucket.getElements() << " elements of " << getBucketAttr();
  MemberAttr member = bucket.lookup(getMember());
  if (!member) // (C2)
    return emitOpError() << getBucketAttr() << " has no member \""
                         << getMember() << "\"";
  if (SmallVector<int64_t> shape = bucket.getViewShape(member);
      cast<RankedTensorType>(getResult().getType()).getShape() !=
      ArrayRef(shape)) // (C2)
    return emitOpError("result must have the ")
           << (bucket.getPacking() ? "packed bytes" : "shape") << " of "
           << member << ", got " << getResult().getType();
  return success();
}

LogicalResult UnpackOp::verify() {
  auto result = cast<RankedTensorType>(getResult().getType());
  Type element = result.getElementType();
  if (!element.isF32() && !element.isBF16() && !element.isF16()) // (C1)
    return emitOpError("makes f32, bf16 or f16, got ") << result;
  auto expected = RankedTensorType::get(
      {getPackedBytes(getPacking(), result.getNumElements())},
      IntegerType::get(getContext(), 8));
  if (getBytes().getType() != expected) // (C2)
    return emitOpError("makes ")
           << result << " of " << stringifyPacking(getPacking())
           << ", which needs " << expected << ", got " << getBytes().getType();
  return success();
}

LogicalResult FlattenOp::verify() {
  if (flatElements(getResult().getType(), false) < 0) // (C2)
    return emitOpError("result must be flat, got ") << getResult().getType();
  return success();
}

LogicalResult FlattenOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto bucket = detail::lookup<BucketOp>(*this, getBucketAttr(), tables);
  if (!bucket)
    return failure();
  if (bucket.getMembers().size() != getMembers().size()) // (C1)
    return emitOpError("takes one operand for each of the ")
           << bucket.getMembers().size() << " members of " << getBucketAttr()
           << ", got " << getMembers().size();
  for (auto [member, operand] :
       llvm::zip(bucket.getMembers().getAsRange<MemberAttr>(), getMembers()))
    if (cast<RankedTensorType>(operand.getType()).getShape() !=
        member.getShape()) // (C1)
      return emitOpError("operand ")
             << operand.getType() << " is not of the shape of " << member;
  if (flatElements(getResult().getType(), false) !=
      static_cast<int64_t>(bucket.getElements())) // (C2)
    return emitOpError("result must have the ")
           << bucket.getElements() << " elements of " << getBucketAttr();
  return success();
}

//===----------------------------------------------------------------------===//
// join and split
//===----------------------------------------------------------------------===//

/// Rows of `piece`, or -1 if its other dimensions are not those of `whole`.
static int64_t rowsOf(Type piece, Type whole) {
  auto part = cast<RankedTensorType>(piece),
       all = cast<RankedTensorType>(whole);
  bool fits = part.getRank() > 0 && part.getRank() == all.getRank() &&
              part.getElementType() == all.getElementType() &&
              part.getShape().drop_front() == all.getShape().drop_front();
  return fits ? part.getDimSize(0) : -1;
}

LogicalResult JoinOp::verify() {
  auto whole = cast<RankedTensorType>(getResult().getType());
  if (getPieces().empty()) // (C2)
    return emitOpError("joins nothing");
  std::optional<int64_t> rows = 0;
  for (Value piece : getPieces()) {
    int64_t mine = rowsOf(piece.getType(), whole);
    if (mine < 0) // (C1)
      return emitOpError("piece ")
             << piece.getType() << " is not some rows of " << whole;
    if (rows)
      rows = llvm::checkedAdd(*rows, mine);
  }
  if (!rows) // (C1)
    return emitOpError("joins more rows than can be counted");
  if (whole.getRank() == 0 || *rows != whole.getDimSize(0)) // (C1)
    return emitOpError("joins ") << *rows << " rows to " << whole;
  return success();
}

LogicalResult SplitOp::verify() {
  auto whole = cast<RankedTensorType>(getWhole().getType());
  int64_t rows = rowsOf(getResult().getType(), whole);
  int64_t first = static_cast<int64_t>(getRow());
  if (rows < 1 || first < 0 || first > whole.getDimSize(0) - rows) // (C1)
    return emitOpError("takes ")
           << getResult().getType() << " from row " << first << " of " << whole;
  return success();
}

//===----------------------------------------------------------------------===//
// launch, sum_squares, clip and update
//===----------------------------------------------------------------------===//

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto kernel = detail::lookup<KernelOp>(*this, getKernelAttr(), tables);
  if (!kernel)
    return failure();
  auto type =
      FunctionType::get(getContext(), getOperandTypes(), getResultTypes());
  if (kernel.getFunctionType() != type) // (C1)
    return emitOpError() << getKernelAttr() << " must be a kernel of type "
                         << type << ", it is " << kernel.getFunctionType();
  return success();
}

LogicalResult AverageOp::verify() {
  if (cast<RankedTensorType>(getValue().getType()).getRank() != 0) // (C1)
    return emitOpError("takes a scalar, got ") << getValue().getType();
  return success();
}

int64_t SumSquaresOp::getNumBlocks(BucketOp bucket, int64_t ranks) {
  return getNumBlocks(
      llvm::to_vector(bucket.getMembers().getAsRange<MemberAttr>()),
      bucket.getElements(), ranks);
}

int64_t SumSquaresOp::getNumBlocks(ArrayRef<MemberAttr> members,
                                   int64_t elements, int64_t ranks) {
  int64_t slice = elements / ranks, most = 1;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    int64_t blocks = 0;
    for (MemberAttr member : members)
      blocks += llvm::divideCeil(
          member.getNumElementsIn(rank * slice, (rank + 1) * slice), kBlock);
    most = std::max(most, blocks);
  }
  return most;
}

LogicalResult SumSquaresOp::verifySymbolUses(SymbolTableCollection &tables) {
  BucketUse use(*this, getBucketAttr(), tables);
  if (!use)
    return failure();
  if (!use.isAny(getFlat())) // (C1)
    return emitOpError("operand must be ")
           << use.either() << ", got " << getFlat().getType();
  const auto segments = static_cast<int64_t>(getSegments());
  if (segments < 1 ||
      use.elements() % (use.ranks * segments * BucketOp::kAlignment)) // (C2)
    return emitOpError("cuts a slice of ")
           << use.elements() / use.ranks << " elements into " << segments
           << " segments, which must be multiples of " << BucketOp::kAlignment;
  auto expected = RankedTensorType::get(
      {segments * getNumBlocks(use.bucket, use.ranks * segments)},
      Float64Type::get(getContext()));
  if (getPartials().getType() != expected) // (C2)
    return emitOpError("result must be ")
           << expected << ", got " << getPartials().getType();
  return success();
}

static LogicalResult verifyPartials(Operation *op, ValueRange partials) {
  if (partials.empty()) // (C1)
    return op->emitOpError("needs at least one operand");
  for (Value partial : partials) {
    auto type = cast<RankedTensorType>(partial.getType());
    if (type.getRank() > 1 || !type.getElementType().isF64()) // (C1)
      return op->emitOpError("operands are tensors of f64 of at most one "
                             "dimension, got ")
             << type;
  }
  return success();
}

LogicalResult TotalOp::verify() {
  auto expected = RankedTensorType::get({}, Float64Type::get(getContext()));
  if (getResult().getType() != expected) // (C1)
    return emitOpError("result must be ")
           << expected << ", got " << getResult().getType();
  return verifyPartials(*this, getPartials());
}

/// Checks a micro-step's gradients, and the sums that they are added to.
static LogicalResult verifyLeaves(Operation *op, BucketUse use, Value leaf,
                                  ValueRange sums) {
  if (!use)
    return failure();
  if (sums.empty()) // (C2)
    return op->emitOpError("has no sums");
  for (Value sum : sums)
    if (!getElementType(sum.getType()).isF32()) // (C2)
      return op->emitOpError("has sums of f32, got ") << sum.getType();
  for (Value sum : sums)
    if (!(use.isWhole(sum) && use.isWhole(leaf)) &&
        !(use.isSlice(sum) && use.isSlice(leaf))) // (C1)
      return op->emitOpError("adds ")
             << leaf.getType() << " to " << sum.getType()
             << "; both are the whole bucket, or the rank's slice of it";
  return success();
}

LogicalResult AddLeafOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (failed(verifyLeaves(*this, BucketUse(*this, getBucketAttr(), tables),
                          getLeaf(), getSums())))
    return failure();
  if (getSums().getTypes() != getNext().getTypes()) // (C2)
    return emitOpError("results must have the types of the sums");
  return success();
}

LogicalResult SumLeavesOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (failed(verifyLeaves(*this, BucketUse(*this, getBucketAttr(), tables),
                          getLeaf(), getSums())))
    return failure();
  if (getResult().getType() != getSums().front().getType()) // (C2)
    return emitOpError("result must have the type of the sums, got ")
           << getResult().getType();
  return success();
}

LogicalResult AccumulateOp::verify() {
  if (cast<RankedTensorType>(getSum().getType()).getShape() !=
      cast<RankedTensorType>(getMore().getType()).getShape()) // (C1)
    return emitOpError("adds ")
           << getMore().getType() << " to " << getSum().getType()
           << "; both have one shape";
  return success();
}

LogicalResult ZerosOp::verifySymbolUses(SymbolTableCollection &tables) {
  BucketUse use(*this, getBucketAttr(), tables);
  if (!use)
    return failure();
  if (!use.isAny(getResult())) // (C1)
    return emitOpError("result must be ")
           << use.either() << ", got " << getResult().getType();
  return success();
}

LogicalResult ClipOp::verify() {
  if (failed(verifyPartials(*this, getPartials()))) // (C1)
    return failure();
  std::optional<APFloat> norm = getMaxNorm();
  if (norm && !(norm->convertToDouble() > 0)) // (C2)
    return emitOpError("max_norm must be positive, got ")
           << norm->convertToDouble();
  if (getWithin().size() == 1) // (C3)
    return emitOpError("is within one limit; there are two, of the norm and of "
                       "the loss");
  return success();
}

bool UpdateOp::isSliced() {
  return llvm::any_of(getKept(),
                      [](Value slot) { return isSlice(slot.getType()); }) ||
         !isWhole(getNext().front().getType());
}

OperandRange UpdateOp::getKept() {
  return getOperands().slice(getParam() ? 2 : 1,
                             getSlots().size() + (getMaster() ? 1 : 0));
}

LogicalResult UpdateOp::verify() {
  if (getNext().size() != 1 + getKept().size())
    return emitOpError("returns the parameter and ")
           << getKept().size() << " state slots";
  if (getParam() && getNext().front().getType() != getParam().getType())
    return emitOpError("returns the parameter's type ") << getParam().getType();
  if (!getParam() && !getMaster()) // (C5)
    return emitOpError("has neither a parameter nor a master");
  for (auto [slot, next] : llvm::zip(getKept(), getNext().drop_front()))
    if (slot.getType() != next.getType())
      return emitOpError("returns a state slot's type ")
             << slot.getType() << ", got " << next.getType();
  for (Value scalar : getScalars())
    if (RankedTensorType type = getHeldTensor(scalar.getType());
        type.getRank() != 0 || !type.getElementType().isF32()) // (C2)
      return emitOpError("takes scalars of f32, got ") << scalar.getType();
  Type param = getElementType(getNext().front().getType());
  if (getMaster() && !getElementType(getMaster().getType()).isF32()) // (C5)
    return emitOpError("has a master of ")
           << getElementType(getMaster().getType()) << "; masters are f32";
  bool needsRounding = !getMaster() && !param.isF32();
  if (needsRounding != (getRounding() != nullptr)) // (C6)
    return emitOpError("updates a parameter of ")
           << param << (getMaster() ? " with" : " without") << " a master, and "
           << (getRounding() ? "has" : "has no")
           << " random bits to round it by";
  if (needsRounding && !param.isBF16()) // (C6)
    return emitOpError("rounds a parameter of ")
           << param << " by chance; without a master it is bf16";
  return success();
}

LogicalResult UpdateOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto optimizer =
      detail::lookup<OptimizerOp>(*this, getOptimizerAttr(), tables);
  auto bucket = detail::lookup<BucketOp>(*this, getBucketAttr(), tables);
  if (!optimizer || !bucket)
    return failure();
  if (getSlots().size() != optimizer.getSlots().size()) // (C1)
    return emitOpError() << getOptimizerAttr() << " has "
                         << optimizer.getSlots().size() << " state slots, got "
                         << getSlots().size();
  size_t scalars =
      llvm::count_if(optimizer.getScalars().getAsValueRange<StringAttr>(),
                     [](StringRef name) { return name != "decay"; });
  if (getScalars().size() != scalars) // (C2)
    return emitOpError() << getOptimizerAttr() << " takes " << scalars
                         << " scalars besides the decay, got "
                         << getScalars().size();
  if (getSkipNonfinite() &&
      !llvm::is_contained(optimizer.getScalars().getAsValueRange<StringAttr>(),
                          kClipFactor)) // (C2)
    return emitOpError()
           << getOptimizerAttr()
           << " has no scalar \"clip\", by which the update would "
              "know that it is to change nothing";
  BucketUse use(*this, getBucketAttr(), tables);
  if (!use)
    return failure();
  SmallVector<Value> state = {getNext().front(), getGrad()};
  llvm::append_range(state, getKept());
  for (Value value : state) {
    if (!use.isAny(value)) // (C3)
      return emitOpError("parameter, gradient and state must be ")
             << use.either() << ", got " << value.getType();
    Type element = getElementType(value.getType());
    if (!element.isF32() && !element.isBF16() && !element.isF16()) // (C3)
      return emitOpError("works on f32, bf16 and f16, got ") << value.getType();
  }
  if (use.ranks == 1)
    return success();
  for (Value value : ValueRange(state).drop_front(2))
    if (isSlice(value.getType()) != isSliced()) // (C4)
      return emitOpError("has whole state of type ")
             << value.getType() << " and slices besides";
  if (!isSliced() && isSlice(getGrad().getType())) // (C4)
    return emitOpError("has whole state and a slice of the gradient, ")
           << getGrad().getType();
  return success();
}
