//===- Builder.cpp - Parameters, inputs, names and errors of a model ------===//
#include "frontend/Builder.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/Locations.h"
#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;
using namespace mlir::frontend;

void frontend::loadModelDialects(MLIRContext &context) {
  context.loadDialect<arith::ArithDialect, func::FuncDialect,
                      linalg::LinalgDialect, math::MathDialect, nn::NNDialect,
                      tensor::TensorDialect, zero::ZeroDialect>();
}

static std::string toString(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static Location nameLoc(MLIRContext *context, StringRef name) {
  if (name.empty())
    return UnknownLoc::get(context);
  return NameLoc::get(StringAttr::get(context, name));
}

std::string frontend::describe(Tensor tensor) {
  if (!tensor)
    return "an invalid tensor";
  std::string type = "(" + toString(tensor.getType()) + ")";
  if (StringRef name = zero::getLocationName(tensor.getValue().getLoc());
      !name.empty())
    return "\"" + name.str() + "\" " + type;
  return type;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

Scope ModelBuilder::scope(const Twine &name) {
  std::string prefix = name.str() + ".";
  return Scope(around, {around.operations + prefix, around.parameters + prefix,
                        around.block});
}

Scope ModelBuilder::paramScope(const Twine &name) {
  return Scope(around, {around.operations, around.parameters + name.str() + ".",
                        around.block});
}

Scope ModelBuilder::block(const Twine &name) {
  return Scope(around, {around.operations, around.parameters,
                        around.parameters + name.str()});
}

Location ModelBuilder::getLoc(StringRef name) {
  std::string full = around.operations + name.str();
  return nameLoc(builder.getContext(), StringRef(full).rtrim('.'));
}

Tensor ModelBuilder::error(const Twine &message) {
  return errorAt(getLoc(), message);
}

Tensor ModelBuilder::errorAt(Location loc, const Twine &message) {
  emitError(loc) << message;
  failed = true;
  return {};
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

ModelBuilder::ModelBuilder(MLIRContext &context, Type elementType)
    : builder(&context), elementType(elementType) {
  loadModelDialects(context);
  if (!this->elementType)
    this->elementType = builder.getF32Type();
  assert((this->elementType.isF32() || this->elementType.isF64()) &&
         "models are f32 or f64");
  module = ModuleOp::create(builder, builder.getUnknownLoc());
  builder.setInsertionPointToEnd(module->getBody());
  function = func::FuncOp::create(builder, nameLoc(&context, "loss"), "loss",
                                  builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(function.addEntryBlock());
}

/// Returns why no tensor can have `shape`, or "".
static std::string findFault(ArrayRef<int64_t> shape, Type element) {
  std::string list;
  llvm::raw_string_ostream out(list);
  llvm::interleave(shape, out, "x");
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  for (int64_t size : shape) {
    if (size < 1)
      return "sizes must be positive, got " + list;
    if (llvm::MulOverflow(bytes, size, bytes))
      return "a tensor of " + list + " has more than 2^63 bytes";
  }
  return {};
}

RankedTensorType ModelBuilder::getType(ArrayRef<int64_t> shape, Type element) {
  std::string fault = findFault(shape, element);
  if (fault.empty())
    return RankedTensorType::get(shape, element);
  error(fault);
  return nullptr;
}

Attribute ModelBuilder::makeInit(Init init) {
  MLIRContext *context = builder.getContext();
  APFloat first(init.first), second(init.second);
  switch (init.distribution) {
  case Init::Normal:
    return zero::NormalAttr::get(context, first);
  case Init::Uniform:
    return zero::UniformAttr::get(context, first, second);
  case Init::Constant:
    return zero::ConstantAttr::get(context, first);
  }
  llvm_unreachable("all distributions are listed");
}

/// Returns why `init` is not a distribution, or "".
static std::string findFault(Init init) {
  if (!std::isfinite(init.first) || !std::isfinite(init.second))
    return "its initial values are not finite";
  if (init.distribution == Init::Normal && init.first < 0)
    return "the std of its initial values must not be negative, got " +
           std::to_string(init.first);
  if (init.distribution == Init::Uniform && init.first > init.second)
    return "the interval of its initial values is empty: " +
           std::to_string(init.first) + " to " + std::to_string(init.second);
  return {};
}

Tensor ModelBuilder::addArgument(unsigned position, RankedTensorType type,
                                 Location loc,
                                 ArrayRef<NamedAttribute> attributes) {
  argumentAttrs.insert(argumentAttrs.begin() + position,
                       builder.getDictionaryAttr(attributes));
  return Tensor(*this,
                function.getBody().front().insertArgument(position, type, loc));
}

Tensor ModelBuilder::param(StringRef name, ArrayRef<int64_t> shape, Init init) {
  std::string full = around.parameters + name.str();
  Location loc = getLoc(name);
  if (name.empty())
    return errorAt(loc, "a parameter needs a name");
  if (!parameterNames.insert(full).second)
    return errorAt(loc, "there is a parameter \"" + full +
                            "\" already; use the tensor that param() returned "
                            "twice to tie weights");
  if (std::string fault = findFault(init); !fault.empty())
    return errorAt(loc, "parameter \"" + full + "\": " + fault);
  if (std::string fault = findFault(shape, elementType); !fault.empty())
    return errorAt(loc, "parameter \"" + full + "\": " + fault);
  auto type = RankedTensorType::get(shape, elementType);
  SmallVector<NamedAttribute> attributes = {
      builder.getNamedAttr(zero::kParamAttr, builder.getStringAttr(full)),
      builder.getNamedAttr(zero::kInitAttr, makeInit(init))};
  if (!around.block.empty())
    attributes.push_back(builder.getNamedAttr(
        zero::kBlockAttr, builder.getStringAttr(around.block)));
  return addArgument(parameterCount++, type, loc, attributes);
}

Tensor ModelBuilder::input(StringRef name, ArrayRef<int64_t> shape,
                           Element element, int64_t vocabulary) {
  Location loc = nameLoc(builder.getContext(), name);
  if (name.empty() || !inputNames.insert(name).second)
    return errorAt(loc, "input \"" + name + "\" needs a name of its own");
  Type made = element == Element::Float ? elementType
              : element == Element::I32 ? Type(builder.getI32Type())
                                        : Type(builder.getI64Type());
  int64_t most = element == Element::I64   ? INT64_MAX
                 : element == Element::I32 ? INT32_MAX
                                           : 0;
  if (vocabulary < 0 || vocabulary > most)
    return errorAt(loc, "input \"" + name + "\": a vocabulary of " +
                            Twine(vocabulary) + " does not fit " +
                            (element == Element::Float ? "floats"
                             : element == Element::I32 ? "32-bit ids"
                                                       : "64-bit ids"));
  if (shape.empty())
    return errorAt(loc, "input \"" + name +
                            "\" has no dimensions; the first one counts "
                            "samples");
  if (std::string fault = findFault(shape, made); !fault.empty())
    return errorAt(loc, "input \"" + name + "\": " + fault);
  auto type = RankedTensorType::get(shape, made);
  SmallVector<NamedAttribute> attributes = {
      builder.getNamedAttr(zero::kInputAttr, builder.getStringAttr(name))};
  if (vocabulary)
    attributes.push_back(builder.getNamedAttr(
        zero::kVocabAttr, builder.getI64IntegerAttr(vocabulary)));
  return addArgument(argumentAttrs.size(), type, loc, attributes);
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

OwningOpRef<ModuleOp> ModelBuilder::finish(Tensor loss, Tensor values) {
  assert(module && "a builder makes one module");
  OwningOpRef<ModuleOp> result = std::move(module);
  if (!failed && !loss)
    error("the loss is an invalid tensor");
  if (loss && (loss.getType().getRank() != 0 ||
               !isa<FloatType>(loss.getType().getElementType())))
    errorAt(function.getLoc(),
            "the loss must be a scalar, got " + describe(loss) +
                "; reduce it, for example with crossEntropy");
  if (failed)
    return nullptr;

  SmallVector<Value> results = {loss.getValue()};
  if (values)
    results.push_back(values.getValue());
  func::ReturnOp::create(builder, getLoc(), results);
  Block &body = function.getBody().front();
  function.setType(builder.getFunctionType(body.getArgumentTypes(),
                                           ValueRange(results).getTypes()));
  function.setAllArgAttrs(argumentAttrs);
  if (mlir::failed(verify(*result)))
    return nullptr;
  return result;
}
