//===- Generic.cpp - Writing linalg.generic in one line -------------------===//

#include "dialect/nn/Generic.h"

#include "dialect/nn/Scalar.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace {

/// The loops of one generic: a letter and an extent each.
struct Loops {
  std::string names;
  SmallVector<int64_t> extents;

  unsigned index(char letter) const { return names.find(letter); }

  AffineMap map(MLIRContext *ctx, StringRef word) const {
    SmallVector<AffineExpr> exprs;
    for (char letter : word)
      exprs.push_back(getAffineDimExpr(index(letter), ctx));
    return AffineMap::get(names.size(), 0, exprs, ctx);
  }
};

Loops collectLoops(ValueRange inputs, ArrayRef<StringRef> maps,
                   StringRef order) {
  Loops loops;
  auto extentOf = [&](char letter) -> int64_t {
    for (auto [input, word] : llvm::zip_equal(inputs, maps))
      if (size_t at = word.find(letter); at != StringRef::npos)
        return cast<RankedTensorType>(input.getType()).getDimSize(at);
    llvm_unreachable("a loop needs an input that has its extent");
  };
  auto add = [&](StringRef word) {
    for (char letter : word)
      if (loops.names.find(letter) == std::string::npos) {
        loops.names.push_back(letter);
        loops.extents.push_back(extentOf(letter));
      }
  };
  add(order);
  for (StringRef word : maps)
    add(word);
  return loops;
}

Value emit(OpBuilder &b, Location loc, ValueRange inputs,
           ArrayRef<StringRef> maps, StringRef result, StringRef order,
           llvm::function_ref<Value(OpBuilder &, RankedTensorType)> makeInit,
           nn::ScalarBody body) {
  Loops loops = collectLoops(inputs, maps, order);
  SmallVector<AffineMap> indexing;
  for (StringRef word : maps)
    indexing.push_back(loops.map(b.getContext(), word));
  indexing.push_back(loops.map(b.getContext(), result));

  SmallVector<int64_t> shape;
  for (char letter : result)
    shape.push_back(loops.extents[loops.index(letter)]);
  SmallVector<utils::IteratorType> iterators;
  for (char letter : loops.names)
    iterators.push_back(result.contains(letter)
                            ? utils::IteratorType::parallel
                            : utils::IteratorType::reduction);

  // The element type is the body's: build it on a scratch block first.
  Block scratch;
  for (Value input : inputs)
    scratch.addArgument(getElementTypeOrSelf(input.getType()), loc);
  OpBuilder probe(b.getContext());
  probe.setInsertionPointToEnd(&scratch);
  Type elementType = body({probe, loc, scratch.getArguments()}).getType();

  auto type = RankedTensorType::get(shape, elementType);
  Value init = makeInit(b, type);
  return linalg::GenericOp::create(
             b, loc, type, inputs, ValueRange{init}, indexing, iterators,
             [&](OpBuilder &nested, Location at, ValueRange args) {
               linalg::YieldOp::create(nested, at, body({nested, at, args}));
             })
      .getResult(0);
}

} // namespace

Value nn::elementwise(OpBuilder &b, Location loc, ValueRange inputs,
                      ArrayRef<StringRef> maps, StringRef result,
                      ScalarBody body) {
  return emit(
      b, loc, inputs, maps, result, /*order=*/result,
      [&](OpBuilder &at, RankedTensorType type) {
        return tensor::EmptyOp::create(at, loc, type.getShape(),
                                       type.getElementType());
      },
      [&](const nn::Scalars &in) {
        return body({in.b, in.loc, in.values.take_front(inputs.size())});
      });
}

static Value reduce(OpBuilder &b, Location loc, ValueRange inputs,
                    ArrayRef<StringRef> maps, StringRef result,
                    nn::ScalarBody body, StringRef order, double identity,
                    llvm::function_ref<Value(nn::S acc, nn::S term)> combine) {
  return emit(
      b, loc, inputs, maps, result, order,
      [&](OpBuilder &at, RankedTensorType type) -> Value {
        Value empty = tensor::EmptyOp::create(at, loc, type.getShape(),
                                              type.getElementType());
        Value value = nn::constant(at, loc, type.getElementType(), identity);
        return linalg::FillOp::create(at, loc, value, empty).getResult(0);
      },
      [&](const nn::Scalars &in) -> Value {
        Value term = body({in.b, in.loc, in.values.take_front(inputs.size())});
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

Value nn::zeros(OpBuilder &b, Location loc, RankedTensorType type) {
  Value empty =
      tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
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
