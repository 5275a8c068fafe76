//===- Generic.cpp - Writing linalg.generic in one line -------------------===//

#include "dialect/nn/Generic.h"

#include "dialect/nn/Scalar.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace {

/// The letters of `order`, then those of `maps` that it lacks.
std::string collectLoops(ArrayRef<StringRef> maps, StringRef order) {
  std::string loops;
  auto add = [&](StringRef word) {
    for (char letter : word)
      if (!StringRef(loops).contains(letter))
        loops.push_back(letter);
  };
  add(order);
  for (StringRef word : maps)
    add(word);
  return loops;
}

int64_t extentOf(char letter, ValueRange inputs, ArrayRef<StringRef> maps) {
  for (auto [input, word] : llvm::zip_equal(inputs, maps))
    if (size_t at = word.find(letter); at != StringRef::npos)
      return cast<RankedTensorType>(input.getType()).getDimSize(at);
  llvm_unreachable("a loop needs an input that has its extent");
}

/// Emits a generic whose element type is the body's.
Value emit(OpBuilder &b, Location loc, ValueRange inputs,
           ArrayRef<StringRef> maps, StringRef result, StringRef order,
           llvm::function_ref<Value(OpBuilder &, RankedTensorType)> makeInit,
           nn::ScalarBody body) {
  SmallVector<int64_t> shape;
  for (char letter : result)
    shape.push_back(extentOf(letter, inputs, maps));
  // Build the body on a scratch block first.
  Block scratch;
  for (Value input : inputs)
    scratch.addArgument(getElementTypeOrSelf(input.getType()), loc);
  OpBuilder probe(b.getContext());
  probe.setInsertionPointToEnd(&scratch);
  Type elementType = body({probe, loc, scratch.getArguments()}).getType();
  return nn::emitGeneric(b, loc, collectLoops(maps, order), inputs, maps,
                         makeInit(b, RankedTensorType::get(shape, elementType)),
                         result, body);
}

} // namespace

Value nn::emitGeneric(OpBuilder &b, Location loc, StringRef loops,
                      ValueRange inputs, ArrayRef<StringRef> maps, Value init,
                      StringRef result, ScalarBody body) {
  auto mapOf = [&](StringRef word) {
    SmallVector<AffineExpr> places;
    for (char letter : word)
      places.push_back(b.getAffineDimExpr(loops.find(letter)));
    return AffineMap::get(loops.size(), 0, places, b.getContext());
  };
  SmallVector<AffineMap> indexing = llvm::map_to_vector(maps, mapOf);
  indexing.push_back(mapOf(result));
  SmallVector<utils::IteratorType> iterators;
  for (char letter : loops)
    iterators.push_back(result.contains(letter)
                            ? utils::IteratorType::parallel
                            : utils::IteratorType::reduction);
  return linalg::GenericOp::create(
             b, loc, init.getType(), inputs, init, indexing, iterators,
             [&](OpBuilder &nested, Location at, ValueRange args) {
               linalg::YieldOp::create(nested, at, body({nested, at, args}));
             })
      .getResult(0);
}

Value nn::elementwise(OpBuilder &b, Location loc, ValueRange inputs,
                      ArrayRef<StringRef> maps, StringRef result,
                      ScalarBody body) {
  return emit(
      b, loc, inputs, maps, result, /*order=*/result,
      [&](OpBuilder &at, RankedTensorType type) {
        return emptyOf(at, loc, type);
      },
      [&](const nn::Scalars &in) { return body(in.first(inputs.size())); });
}

Value nn::elementwise(OpBuilder &b, Location loc, ValueRange inputs,
                      ScalarBody body) {
  std::string all =
      letters(cast<RankedTensorType>(inputs[0].getType()).getRank());
  SmallVector<StringRef> maps(inputs.size(), all);
  return elementwise(b, loc, inputs, maps, all, body);
}

static Value reduce(OpBuilder &b, Location loc, ValueRange inputs,
                    ArrayRef<StringRef> maps, StringRef result,
                    nn::ScalarBody body, StringRef order, double identity,
                    llvm::function_ref<Value(nn::S acc, nn::S term)> combine) {
  return emit(
      b, loc, inputs, maps, result, order,
      [&](OpBuilder &at, RankedTensorType type) -> Value {
        Value empty = nn::emptyOf(at, loc, type);
        Value value = nn::constant(at, loc, type.getElementType(), identity);
        return linalg::FillOp::create(at, loc, value, empty).getResult(0);
      },
      [&](const nn::Scalars &in) -> Value {
        Value term = body(in.first(inputs.size()));
        // While the element type is being probed there is no accumulator.
        if (in.values.size() == inputs.size())
          return term;
        nn::S acc = in[inputs.size()];
        return combine(acc, acc.with(term));
      });
}

Value nn::reduceSum(OpBuilder &b, Location loc, ValueRange inputs,
                    ArrayRef<StringRef> maps, StringRef result, ScalarBody body,
                    StringRef order) {
  return reduce(b, loc, inputs, maps, result, body, order, 0.0, plus);
}

Value nn::reduceMax(OpBuilder &b, Location loc, ValueRange inputs,
                    ArrayRef<StringRef> maps, StringRef result,
                    ScalarBody body) {
  // Ignores NaN, at half the cost of propagating it.  The NaN is not lost:
  // callers subtract the maximum from the values that hold it.
  return reduce(b, loc, inputs, maps, result, body, {},
                -std::numeric_limits<double>::infinity(), [](S acc, S term) {
                  return acc.apply<arith::MaxNumFOp>(term);
                });
}

Value nn::constant(OpBuilder &b, Location loc, Type type, double value) {
  auto attr = [&](Type element) -> TypedAttr {
    if (isa<FloatType>(element))
      return b.getFloatAttr(element, value);
    return b.getIntegerAttr(element, static_cast<int64_t>(value));
  };
  if (auto shaped = dyn_cast<ShapedType>(type))
    return arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(shaped,
                               Attribute(attr(shaped.getElementType()))));
  return arith::ConstantOp::create(b, loc, attr(type));
}

Value nn::emptyOf(OpBuilder &b, Location loc, RankedTensorType type) {
  return tensor::EmptyOp::create(b, loc, type.getShape(),
                                 type.getElementType());
}

Value nn::zeros(OpBuilder &b, Location loc, RankedTensorType type) {
  Value empty = emptyOf(b, loc, type);
  Value zero = constant(b, loc, type.getElementType(), 0.0);
  return linalg::FillOp::create(b, loc, zero, empty).getResult(0);
}

bool nn::isZeros(Value value) {
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    return matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
  return matchPattern(value, m_AnyZeroFloat());
}

std::string nn::letters(int64_t count, char first) {
  std::string word;
  for (int64_t i = 0; i < count; ++i)
    word.push_back(static_cast<char>(first + i));
  return word;
}

nn::S nn::plus(S x, S y) {
  return isa<IntegerType>(x.v.getType()) ? x.apply<arith::AddIOp>(y) : x + y;
}

Value nn::Scalars::index(unsigned loop, Type type) const {
  Value index = linalg::IndexOp::create(b, loc, loop);
  return type ? arith::IndexCastOp::create(b, loc, type, index).getResult()
              : index;
}

nn::S nn::Scalars::extract(Value tensor, ValueRange places) const {
  return {b, loc, tensor::ExtractOp::create(b, loc, tensor, places)};
}
