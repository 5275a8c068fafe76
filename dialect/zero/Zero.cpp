//===- Zero.cpp - Attributes and types of the zero dialect ----------------===//

#include "dialect/zero/Zero.h"

#include "abi/zrt.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::zero;

#include "dialect/zero/ZeroDialect.cpp.inc"
#include "dialect/zero/ZeroEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/zero/ZeroAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/zero/ZeroTypes.cpp.inc"

void ZeroDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/zero/ZeroAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/zero/ZeroTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/zero/ZeroOps.cpp.inc"
      >();
}

FailureOr<APFloat> zero::parseDouble(AsmParser &parser) {
  double value;
  if (parser.parseFloat(value))
    return failure();
  return APFloat(value);
}

//===----------------------------------------------------------------------===//
// #zero.member<"name", 512x128 at 0[, decay], init = ...>
//===----------------------------------------------------------------------===//

int64_t MemberAttr::getNumElements() const {
  return llvm::product_of(getShape());
}

int64_t MemberAttr::getNumElementsIn(int64_t begin, int64_t end) const {
  return std::max<int64_t>(0, std::min(end, getOffset() + getNumElements()) -
                                  std::max(begin, getOffset()));
}

SmallVector<int64_t> MemberAttr::getParameterShape() const {
  SmallVector<int64_t> shape(getShape());
  if (isPiece())
    shape.front() = getRows();
  return shape;
}

int64_t MemberAttr::getFirstElement() const {
  return isPiece() ? getFirstRow() * llvm::product_of(getShape().drop_front())
                   : 0;
}

Attribute MemberAttr::parse(AsmParser &parser, Type) {
  StringAttr name;
  SmallVector<int64_t> shape;
  int64_t offset = 0, firstRow = 0, rows = 0;
  bool decay = false;
  Attribute init;
  if (parser.parseLess() || parser.parseAttribute(name) || parser.parseComma())
    return {};
  if (failed(parser.parseOptionalKeyword("scalar")) &&
      parser.parseDimensionList(shape, /*allowDynamic=*/false,
                                /*withTrailingX=*/false))
    return {};
  if (parser.parseKeyword("at") || parser.parseInteger(offset) ||
      parser.parseComma())
    return {};
  if (succeeded(parser.parseOptionalKeyword("rows")) &&
      (parser.parseInteger(firstRow) || parser.parseKeyword("of") ||
       parser.parseInteger(rows) || parser.parseComma()))
    return {};
  if (succeeded(parser.parseOptionalKeyword("decay"))) {
    decay = true;
    if (parser.parseComma())
      return {};
  }
  if (parser.parseKeyword("init") || parser.parseEqual() ||
      parser.parseAttribute(init) || parser.parseGreater())
    return {};
  return parser.getChecked<MemberAttr>(parser.getContext(), name, shape, offset,
                                       firstRow, rows, decay, init);
}

void MemberAttr::print(AsmPrinter &printer) const {
  printer << "<" << getName() << ", ";
  if (getShape().empty())
    printer << "scalar";
  else
    llvm::interleave(getShape(), printer.getStream(), "x");
  printer << " at " << getOffset();
  if (isPiece())
    printer << ", rows " << getFirstRow() << " of " << getRows();
  printer << (getDecay() ? ", decay" : "") << ", init = " << getInit() << ">";
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult NormalAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 APFloat std) {
  if (std.isNegative() || !std.isFinite())
    return emitError() << "std must not be negative, got "
                       << std.convertToDouble();
  return success();
}

LogicalResult MemberAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringAttr name, ArrayRef<int64_t> shape,
                                 int64_t offset, int64_t firstRow, int64_t rows,
                                 bool, Attribute init) {
  std::optional<int64_t> elements = 1;
  for (int64_t extent : shape)
    if (elements)
      elements = llvm::checkedMul(*elements, extent);
  if (!elements || offset < 0 || !llvm::checkedAdd(offset, *elements))
    return emitError() << "member " << name << " has more elements at "
                       << offset << " than can be counted";
  if (!isa<NormalAttr, UniformAttr, ConstantAttr>(init))
    return emitError() << "member " << name << " begins as " << init
                       << "; it is #zero.normal, #zero.uniform or "
                          "#zero.constant";
  if (rows == 0 && firstRow == 0)
    return success();
  if (shape.empty() || firstRow < 0 || firstRow > rows ||
      shape.front() > rows - firstRow)
    return emitError() << "member " << name << ": rows from " << firstRow
                       << " on are not among the " << rows
                       << " rows of its parameter";
  return success();
}

LogicalResult BytesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                Tier, int64_t offset, int64_t size) {
  if (offset < 0 || size < 0)
    return emitError() << "offset and size must not be negative, got " << offset
                       << " + " << size;
  if (!llvm::checkedAdd(offset, size))
    return emitError() << "bytes from " << offset << " on, " << size
                       << " of them, end beyond what can be counted";
  return success();
}

LogicalResult ShardType::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t elements, Type, int64_t ranks,
                                int64_t of, Tier) {
  if (ranks < 1 || elements < 1 || elements % ranks) // (C1)
    return emitError() << elements
                       << " elements are not a positive multiple of " << ranks
                       << " ranks";
  if (of != 0 && (ranks < 2 || of <= ranks || of % ranks)) // (C2)
    return emitError() << "parts by " << ranks << " do not lie on " << of
                       << " ranks, which must be a larger multiple";
  return success();
}

LogicalResult
QuantizedBlockType::verify(function_ref<InFlightDiagnostic()> emitError,
                           int64_t bits) {
  if (bits != 8 && bits != 4) // (C1)
    return emitError() << "codes of " << bits
                       << " bits; those of a block have 8 or 4";
  return success();
}

LogicalResult StoredType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 RankedTensorType tensor, Tier tier) {
  if (!tensor.hasStaticShape() || tensor.getEncoding()) // (C1)
    return emitError() << tensor << " is stored, and has unknown sizes or an "
                       << "encoding";
  if (tier == Tier::Device) // (C2)
    return emitError() << "what is stored on the device is " << tensor;
  return success();
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

int64_t zero::getPackedBytes(Packing packing, int64_t elements) {
  static_assert(kPackedRunElements ==
                    int64_t(ZRT_PACKED_BLOCK) * ZRT_PACKED_RUN &&
                int(Packing::NF4) == ZRT_NF4 && int(Packing::Int8) == ZRT_INT8);
  return static_cast<int64_t>(zrt_packed_bytes(
      static_cast<uint32_t>(packing), static_cast<uint64_t>(elements)));
}

Stream zero::getStream(Operation *op) {
  if (auto record = dyn_cast<RecordOp>(op))
    return record.getOn();
  if (auto wait = dyn_cast<WaitOp>(op))
    return wait.getOn();
  if (auto attr = op->getAttrOfType<StreamAttr>(kStreamAttr))
    return attr.getValue();
  return Stream::Compute;
}

Tier zero::getTier(Type type) {
  if (auto shard = dyn_cast<ShardType>(type))
    return shard.getTier();
  auto stored = dyn_cast<StoredType>(type);
  return stored ? stored.getTier() : Tier::Device;
}

bool zero::holdsBytes(Type type) {
  return isa<ShardType, StoredType, RankedTensorType>(type);
}

RankedTensorType zero::getHeldTensor(Type type) {
  if (auto stored = dyn_cast<StoredType>(type))
    return stored.getTensor();
  return dyn_cast<RankedTensorType>(type);
}

Type zero::getElementType(Type type) {
  if (auto shard = dyn_cast<ShardType>(type))
    return shard.getElementType();
  return getHeldTensor(type).getElementType();
}

int64_t zero::getElementBytes(Type type) {
  if (auto block = dyn_cast<QuantizedBlockType>(getElementType(type)))
    return block.getBytes();
  return llvm::divideCeil(getElementType(type).getIntOrFloatBitWidth(), 8);
}

int64_t zero::getNumbersPerElement(Type type) {
  return isa<QuantizedBlockType>(holdsBytes(type) ? getElementType(type) : type)
             ? QuantizedBlockType::kElements
             : 1;
}

int64_t zero::getByteSize(Type type) {
  if (auto shard = dyn_cast<ShardType>(type))
    return shard.getSliceElements() * getElementBytes(type);
  RankedTensorType tensor = getHeldTensor(type);
  int64_t elements = tensor.getNumElements();
  if (int64_t pitch = getRowPitch(tensor))
    elements = elements / tensor.getShape().back() * pitch;
  return elements * getElementBytes(type);
}

int64_t zero::getRowPitch(RankedTensorType type) {
  auto pitch = dyn_cast_if_present<PitchAttr>(type.getEncoding());
  return pitch ? pitch.getElements() : 0;
}
