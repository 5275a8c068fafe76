//===- ProgramOps.cpp - Programs and kernels ------------------------------===//

#include "dialect/zero/Zero.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace mlir::zero;

//===----------------------------------------------------------------------===//
// program
//===----------------------------------------------------------------------===//

void ProgramOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                      FunctionType type) {
  state.addAttribute(getSymNameAttrName(state.name),
                     builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  state.addRegion();
}

ParseResult ProgramOp::parse(OpAsmParser &parser, OperationState &result) {
  auto type = [](Builder &builder, ArrayRef<Type> inputs,
                 ArrayRef<Type> results, function_interface_impl::VariadicFlag,
                 std::string &) {
    return builder.getFunctionType(inputs, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), type,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void ProgramOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

StateAttr ProgramOp::getState(unsigned argument) {
  return getArgAttrOfType<StateAttr>(argument, kStateAttr);
}
StringAttr ProgramOp::getInput(unsigned argument) {
  return getArgAttrOfType<StringAttr>(argument, kInputAttr);
}
StringAttr ProgramOp::getScalar(unsigned argument) {
  return getArgAttrOfType<StringAttr>(argument, kScalarAttr);
}
StringAttr ProgramOp::getCache(unsigned argument) {
  return getArgAttrOfType<StringAttr>(argument, kCacheAttr);
}
BytesAttr ProgramOp::getArgumentBytes(unsigned argument) {
  return getArgAttrOfType<BytesAttr>(argument, kBytesAttr);
}
StringAttr ProgramOp::getOutput(unsigned result) {
  return getResultAttrOfType<StringAttr>(result, kOutputAttr);
}

LogicalResult ProgramOp::verify() {
  for (unsigned i = 0, e = getNumArguments(); i != e; ++i)
    if (!!getArgAttr(i, kStateAttr) + !!getArgAttr(i, kInputAttr) +
            !!getArgAttr(i, kScalarAttr) + !!getArgAttr(i, kCacheAttr) >
        1) // (C1)
      return emitOpError("has argument ")
             << i
             << ", which is more than one of state, input, scalar and cache";
  if (getProgram().has_value() != getRank().has_value()) // (C2)
    return emitOpError("says for one rank alone which program and which rank");
  return success();
}

//===----------------------------------------------------------------------===//
// kernel
//===----------------------------------------------------------------------===//

void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                     FunctionType type, KernelKind kind,
                     ArrayRef<int64_t> space) {
  state.addAttribute(getSymNameAttrName(state.name),
                     builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  state.addAttribute(getKindAttrName(state.name),
                     KernelKindAttr::get(builder.getContext(), kind));
  state.addAttribute(getSpaceAttrName(state.name),
                     builder.getDenseI64ArrayAttr(space));
  state.addRegion();
}

/// `units rows [4, 8]`, `units columns [?]`, `units serial`, or nothing.
static ParseResult parseUnits(OpAsmParser &parser, OperationState &result) {
  if (failed(parser.parseOptionalKeyword("units")))
    return success();
  SMLoc at = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  std::optional<KernelKind> kind = symbolizeKernelKind(name);
  if (!kind)
    return parser.emitError(at)
           << "units are rows, columns, serial, attention or scatter, got "
           << name;
  SmallVector<int64_t> space;
  if (succeeded(parser.parseOptionalLSquare())) {
    auto parseSize = [&]() -> ParseResult {
      int64_t &size = space.emplace_back(ShapedType::kDynamic);
      return succeeded(parser.parseOptionalQuestion())
                 ? success()
                 : parser.parseInteger(size);
    };
    if (parser.parseCommaSeparatedList(parseSize) || parser.parseRSquare())
      return failure();
  }
  result.addAttribute(KernelOp::getKindAttrName(result.name),
                      KernelKindAttr::get(parser.getContext(), *kind));
  result.addAttribute(KernelOp::getSpaceAttrName(result.name),
                      parser.getBuilder().getDenseI64ArrayAttr(space));
  return success();
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> results;
  SmallVector<DictionaryAttr> resultAttrs;
  bool isVariadic;
  (void)mlir::impl::parseOptionalVisibilityKeyword(parser, result.attributes);
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name),
                             result.attributes) ||
      function_interface_impl::parseFunctionSignatureWithArguments(
          parser, /*allowVariadic=*/false, arguments, isVariadic, results,
          resultAttrs) ||
      parseUnits(parser, result) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  SmallVector<Type> types;
  for (OpAsmParser::Argument &argument : arguments)
    types.push_back(argument.type);
  Builder &builder = parser.getBuilder();
  result.addAttribute(getFunctionTypeAttrName(result.name),
                      TypeAttr::get(builder.getFunctionType(types, results)));
  call_interface_impl::addArgAndResultAttrs(
      builder, result, arguments, resultAttrs, getArgAttrsAttrName(result.name),
      getResAttrsAttrName(result.name));
  OptionalParseResult body = parser.parseOptionalRegion(
      *result.addRegion(), arguments, /*enableNameShadowing=*/false);
  return body.has_value() ? *body : success();
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  if (std::optional<StringRef> visibility = getSymVisibility())
    printer << *visibility << ' ';
  printer.printSymbolName(getSymName());
  function_interface_impl::printFunctionSignature(
      printer, *this, getArgumentTypes(), /*isVariadic=*/false,
      getResultTypes());
  if (std::optional<KernelKind> kind = getKind()) {
    printer << " units " << stringifyKernelKind(*kind);
    if (!getSpace().empty()) {
      printer << " [";
      llvm::interleaveComma(getSpace(), printer, [&](int64_t size) {
        if (ShapedType::isDynamic(size))
          printer << '?';
        else
          printer << size;
      });
      printer << ']';
    }
  }
  function_interface_impl::printFunctionAttributes(
      printer, *this,
      {getSymVisibilityAttrName(), getFunctionTypeAttrName(),
       getArgAttrsAttrName(), getResAttrsAttrName(), getKindAttrName(),
       getSpaceAttrName()});
  if (isExternal())
    return;
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

bool KernelOp::isBufferized() {
  return llvm::any_of(getArgumentTypes(), llvm::IsaPred<MemRefType>);
}

std::optional<unsigned> KernelOp::getMustReplace(unsigned result) {
  auto operand = getResultAttrOfType<IntegerAttr>(result, kMustAliasAttr);
  return operand ? std::optional<unsigned>(operand.getInt()) : std::nullopt;
}

ArrayRef<int64_t> KernelOp::getMayReplace(unsigned result) {
  auto operands = getResultAttrOfType<DenseI64ArrayAttr>(result, kInPlaceAttr);
  return operands ? operands.asArrayRef() : ArrayRef<int64_t>();
}

/// (C1)
static LogicalResult verifyUnits(KernelOp kernel) {
  std::optional<KernelKind> kind = kernel.getKind();
  if (!kind) {
    if (kernel.isExternal() && kernel.getSpace().empty())
      return success();
    return kernel.emitOpError("has a body and does not say its units");
  }
  size_t sizes = kernel.getSpace().size();
  StringRef needed;
  switch (*kind) {
  case KernelKind::Rows:
    needed = sizes > 0 ? "" : "one or more sizes";
    break;
  case KernelKind::Columns:
  case KernelKind::Scatter:
    needed = sizes == 1 ? "" : "one size";
    break;
  case KernelKind::Attention:
    needed = sizes == 2 ? "" : "two sizes";
    break;
  case KernelKind::Serial:
    needed = sizes == 0 ? "" : "no sizes";
    break;
  }
  if (needed.empty() || (kernel.isExternal() && sizes == 0))
    return success();
  return kernel.emitOpError("is cut into units of ")
         << stringifyKernelKind(*kind) << ", which have " << needed << ", got ["
         << kernel.getSpace() << "]";
}

/// (C5)
static LogicalResult verifyUnknownSizes(KernelOp kernel) {
  bool isUnknown = false, isFlat = true;
  for (Type type : kernel.getArgumentTypes())
    if (auto buffer = dyn_cast<MemRefType>(type);
        buffer && !buffer.hasStaticShape()) {
      isUnknown = true;
      isFlat &= buffer.getRank() == 1;
    }
  if (ShapedType::isDynamicShape(kernel.getSpace()) == isUnknown && isFlat &&
      (!isUnknown || kernel.getKind() == KernelKind::Columns))
    return success();
  return kernel.emitOpError("is of type ")
         << kernel.getFunctionType()
         << "; units are columns [?] where memrefs of one dimension are of "
            "unknown size, and only there";
}

LogicalResult KernelOp::verify() {
  if (failed(verifyUnits(*this)))
    return failure();
  auto judge = [&](unsigned result, StringRef name,
                   int64_t operand) -> LogicalResult { // (C2)
    if (operand < 0 || operand >= getNumArguments())
      return emitOpError("names operand ")
             << operand << " in " << name << " of result " << result
             << ", and has " << getNumArguments();
    if (getArgumentTypes()[operand] == getResultTypes()[result])
      return success();
    return emitOpError("names operand ")
           << operand << " of " << getArgumentTypes()[operand] << " in " << name
           << " of result " << result << " of " << getResultTypes()[result];
  };
  for (unsigned r = 0, e = getNumResults(); r != e; ++r) {
    Attribute must = getResultAttr(r, kMustAliasAttr),
              may = getResultAttr(r, kInPlaceAttr);
    auto number = dyn_cast_or_null<IntegerAttr>(must);
    auto list = dyn_cast_or_null<DenseI64ArrayAttr>(may);
    if ((must && !(number && number.getType().isSignlessInteger(64))) ||
        (may && !list))
      return emitOpError("says of result ")
             << r << ' ' << (must ? must : may)
             << "; zero.must_alias is an i64, zero.in_place an array of them";
    if (number && failed(judge(r, kMustAliasAttr, number.getInt())))
      return failure();
    for (int64_t operand : getMayReplace(r))
      if (failed(judge(r, kInPlaceAttr, operand)))
        return failure();
  }
  bool isBuffer = isBufferized();
  for (Type type : llvm::concat<const Type>(getArgumentTypes(),
                                            getResultTypes())) // (C3)
    if (isBuffer ? !isa<MemRefType>(type) || getNumResults() > 0
                 : !isa<RankedTensorType>(type))
      return emitOpError("is of type ")
             << getFunctionType()
             << "; a kernel is on tensors, or on memrefs without results";
  return verifyUnknownSizes(*this);
}

//===----------------------------------------------------------------------===//
// return
//===----------------------------------------------------------------------===//

LogicalResult ReturnOp::verify() {
  auto function = cast<FunctionOpInterface>((*this)->getParentOp());
  if (TypeRange(getOperandTypes()) != TypeRange(function.getResultTypes()))
    return emitOpError("returns (") // (C1)
           << getOperandTypes() << ") from what has results ("
           << function.getResultTypes() << ")";
  return success();
}
