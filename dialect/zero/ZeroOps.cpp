//===- ZeroOps.cpp - Verifiers and syntax of the zero operations ----------===//

#include "dialect/zero/Zero.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::zero;

#define GET_OP_CLASSES
#include "dialect/zero/ZeroOps.cpp.inc"

/// The symbol that `name` refers to, or an error at `op`.
template <typename OpT>
static OpT lookup(Operation *op, FlatSymbolRefAttr name,
                  SymbolTableCollection &tables) {
  auto found = tables.lookupNearestSymbolFrom<OpT>(op, name);
  if (!found)
    op->emitOpError("refers to ")
        << name << ", which is no " << OpT::getOperationName()
        << " of this module";
  return found;
}

/// Elements of a flat value that covers a whole bucket, or -1.
static int64_t flatElements(Type type, bool allowSlices) {
  if (auto shard = dyn_cast<ShardType>(type))
    return allowSlices || shard.getRanks() == 1 ? shard.getElements() : -1;
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getRank() == 1 ? tensor.getDimSize(0) : -1;
}

//===----------------------------------------------------------------------===//
// axis and bucket
//===----------------------------------------------------------------------===//

LogicalResult AxisOp::verify() {
  if (static_cast<int64_t>(getSize()) < 1) // (C1)
    return emitOpError("size must be positive, got ")
           << static_cast<int64_t>(getSize());
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
    padding -= member.getNumElements();
  return padding;
}

LogicalResult BucketOp::verify() {
  int64_t end = 0;
  llvm::StringSet<> names;
  for (auto member : getMembers().getAsRange<MemberAttr>()) {
    if (member.getOffset() < end ||
        member.getOffset() + member.getNumElements() >
            static_cast<int64_t>(getElements())) // (C1)
      return emitOpError("member ")
             << member.getName() << " at " << member.getOffset() << " of "
             << member.getNumElements()
             << " elements overlaps the member before it or leaves the "
             << getElements() << " elements of the bucket";
    if (member.getOffset() % kAlignment) // (C2)
      return emitOpError("member ")
             << member.getName() << " starts at " << member.getOffset()
             << ", which is no multiple of " << kAlignment;
    if (!names.insert(member.getName()).second) // (C4)
      return emitOpError("has two members called ") << member.getName();
    end = member.getOffset() + member.getNumElements();
  }
  return success();
}

LogicalResult BucketOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto axis = ::lookup<AxisOp>(*this, getAxisAttr(), tables);
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
      block.getTerminator()->getNumOperands() != 1 + getSlots().size()) // (C2)
    return emitOpError("yields the parameter and ")
           << getSlots().size() << " state slots";
  return success();
}

//===----------------------------------------------------------------------===//
// view and pack
//===----------------------------------------------------------------------===//

LogicalResult ViewOp::verify() {
  if (flatElements(getFlat().getType(), /*allowSlices=*/false) < 0) // (C1)
    return emitOpError(
               "needs the whole bucket: a flat tensor or a shard by 1, got ")
           << getFlat().getType();
  return success();
}

LogicalResult ViewOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto bucket = ::lookup<BucketOp>(*this, getBucketAttr(), tables);
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
  if (cast<RankedTensorType>(getResult().getType()).getShape() !=
      member.getShape()) // (C2)
    return emitOpError("result must have the shape of ")
           << member << ", got " << getResult().getType();
  return success();
}

LogicalResult PackOp::verify() {
  if (flatElements(getResult().getType(), false) < 0) // (C2)
    return emitOpError("result must be flat, got ") << getResult().getType();
  return success();
}

LogicalResult PackOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto bucket = ::lookup<BucketOp>(*this, getBucketAttr(), tables);
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
// launch, sum_squares, clip and update
//===----------------------------------------------------------------------===//

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto kernel = ::lookup<func::FuncOp>(*this, getKernelAttr(), tables);
  if (!kernel)
    return failure();
  auto type =
      FunctionType::get(getContext(), getOperandTypes(), getResultTypes());
  if (!kernel->hasAttr(kKernelAttr) || kernel.getFunctionType() != type) // (C1)
    return emitOpError() << getKernelAttr() << " must be a kernel of type "
                         << type << ", it is " << kernel.getFunctionType();
  return success();
}

LogicalResult SumSquaresOp::verify() {
  if (flatElements(getFlat().getType(), false) < 0) // (C1)
    return emitOpError("operand must be flat, got ") << getFlat().getType();
  return success();
}

LogicalResult SumSquaresOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto bucket = ::lookup<BucketOp>(*this, getBucketAttr(), tables);
  if (!bucket)
    return failure();
  int64_t blocks = 0;
  for (auto member : bucket.getMembers().getAsRange<MemberAttr>())
    blocks += getNumBlocks(member.getNumElements());
  if (flatElements(getFlat().getType(), false) !=
      static_cast<int64_t>(bucket.getElements())) // (C1)
    return emitOpError("operand must have the ")
           << bucket.getElements() << " elements of " << getBucketAttr();
  auto expected =
      RankedTensorType::get({blocks}, Float64Type::get(getContext()));
  if (getPartials().getType() != expected) // (C2)
    return emitOpError("result must be ")
           << expected << ", got " << getPartials().getType();
  return success();
}

LogicalResult ClipOp::verify() {
  if (getPartials().empty()) // (C1)
    return emitOpError("needs at least one operand");
  for (Value partial : getPartials()) {
    auto type = cast<RankedTensorType>(partial.getType());
    if (type.getRank() != 1 || !type.getElementType().isF64()) // (C1)
      return emitOpError("operands are one-dimensional tensors of f64, got ")
             << type;
  }
  if (getMaxNorm() && !(getMaxNorm()->convertToDouble() > 0)) // (C2)
    return emitOpError("max_norm must be positive, got ")
           << getMaxNorm()->convertToDouble();
  return success();
}

LogicalResult UpdateOp::verify() {
  if (getNext().size() != 1 + getSlots().size())
    return emitOpError("returns the parameter and ")
           << getSlots().size() << " state slots";
  if (getNext().front().getType() != getParam().getType())
    return emitOpError("returns the parameter's type ") << getParam().getType();
  return success();
}

LogicalResult UpdateOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto optimizer = ::lookup<OptimizerOp>(*this, getOptimizerAttr(), tables);
  auto bucket = ::lookup<BucketOp>(*this, getBucketAttr(), tables);
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
  SmallVector<Value> state = {getParam(), getGrad()};
  llvm::append_range(state, getSlots());
  for (Value value : state)
    if (flatElements(value.getType(), /*allowSlices=*/true) !=
        static_cast<int64_t>(bucket.getElements())) // (C3)
      return emitOpError("state and gradient must have the ")
             << bucket.getElements() << " elements of " << getBucketAttr()
             << ", got " << value.getType();
  return success();
}
