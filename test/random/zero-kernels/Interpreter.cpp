//===- Interpreter.cpp - Interprets a kernel ------------------------------===//

#include "Interpreter.h"

#include "dialect/nn/NN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "numerics/Dropout.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::zero;

namespace {

/// Calls `body` for each index of a box, the last dimension first.
void forEachIndex(ArrayRef<int64_t> extents,
                  llvm::function_ref<void(ArrayRef<int64_t>)> body) {
  SmallVector<int64_t> at(extents.size(), 0);
  int64_t count = llvm::product_of(extents);
  for (int64_t i = 0; i < count; ++i) {
    body(at);
    for (size_t d = at.size(); d-- > 0;) {
      if (++at[d] < extents[d])
        break;
      at[d] = 0;
    }
  }
}

int64_t placeOf(ArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  int64_t place = 0;
  for (auto [i, size] : llvm::zip_equal(index, shape))
    place = place * size + i;
  return place;
}

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<ShapedType>(value.getType()).getShape();
}

class Interpreter {
public:
  LogicalResult evaluate(Operation *op);

  DenseMap<Value, Elements> tensors;
  /// If true, attention returns error bounds instead of results.
  bool givesErrors = false;

private:
  LogicalResult evaluate(linalg::LinalgOp op);
  LogicalResult evaluate(nn::EmbeddingBackwardOp op);
  LogicalResult evaluate(nn::AttentionOp op);
  LogicalResult evaluate(nn::AttentionBackwardOp op);
  LogicalResult evaluatePoint(linalg::LinalgOp op, ArrayRef<int64_t> at,
                              MutableArrayRef<Elements> results);
  LogicalResult evaluateScalar(Operation &op, ArrayRef<int64_t> at);
  FailureOr<Attribute> look(tensor::ExtractOp op);

  /// Visits the elements of a slice of `source`, in order.
  template <typename Visit>
  void forEachOf(OffsetSizeAndStrideOpInterface slice, ArrayRef<int64_t> shape,
                 Visit visit) {
    forEachIndex(slice.getStaticSizes(), [&](ArrayRef<int64_t> at) {
      SmallVector<int64_t> index;
      for (auto [i, offset, stride] : llvm::zip_equal(
               at, slice.getStaticOffsets(), slice.getStaticStrides()))
        index.push_back(offset + i * stride);
      visit(placeOf(index, shape));
    });
  }

  DenseMap<Value, Attribute> scalars;
};

} // namespace

FailureOr<Attribute> Interpreter::look(tensor::ExtractOp op) {
  SmallVector<int64_t> index;
  for (auto [position, size] :
       llvm::zip_equal(op.getIndices(), shapeOf(op.getTensor()))) {
    auto number = dyn_cast_or_null<IntegerAttr>(scalars.lookup(position));
    if (!number || number.getInt() < 0 || number.getInt() >= size)
      return op.emitOpError("reads outside of its tensor");
    index.push_back(number.getInt());
  }
  return tensors[op.getTensor()][placeOf(index, shapeOf(op.getTensor()))];
}

LogicalResult Interpreter::evaluateScalar(Operation &op, ArrayRef<int64_t> at) {
  SmallVector<Attribute> operands;
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    scalars[index.getResult()] =
        Builder(op.getContext()).getIndexAttr(at[index.getDim()]);
    return success();
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    FailureOr<Attribute> element = look(extract);
    if (failed(element))
      return failure();
    scalars[extract.getResult()] = *element;
    return success();
  }
  for (Value operand : op.getOperands()) {
    operands.push_back(scalars.lookup(operand));
    if (!operands.back())
      return op.emitOpError("reads what nothing has written");
  }
  SmallVector<OpFoldResult> folded;
  if (failed(op.fold(operands, folded)) || folded.size() != op.getNumResults())
    return op.emitOpError("is not folded");
  for (auto [result, value] : llvm::zip_equal(op.getResults(), folded)) {
    auto attribute = dyn_cast<Attribute>(value);
    scalars[result] =
        attribute ? attribute : scalars.lookup(cast<Value>(value));
  }
  return success();
}

LogicalResult Interpreter::evaluatePoint(linalg::LinalgOp op,
                                         ArrayRef<int64_t> at,
                                         MutableArrayRef<Elements> results) {
  auto placeOfOperand = [&](OpOperand &operand) {
    return placeOf(op.getMatchingIndexingMap(&operand).compose(at),
                   shapeOf(operand.get()));
  };
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (!isa<ShapedType>(operand.get().getType()))
      scalars[argument] = scalars.lookup(operand.get());
    else if (op.isDpsInit(&operand))
      scalars[argument] =
          results[operand.getOperandNumber() - op.getNumDpsInputs()]
                 [placeOfOperand(operand)];
    else
      scalars[argument] = tensors[operand.get()][placeOfOperand(operand)];
  }
  for (Operation &inner : op.getBlock()->without_terminator())
    if (failed(evaluateScalar(inner, at)))
      return failure();
  for (auto [init, value, elements] :
       llvm::zip_equal(op.getDpsInitsMutable(),
                       op.getBlock()->getTerminator()->getOperands(), results))
    elements[placeOfOperand(init)] = scalars.lookup(value);
  return success();
}

LogicalResult Interpreter::evaluate(linalg::LinalgOp op) {
  SmallVector<Elements> results;
  for (Value init : op.getDpsInits())
    results.push_back(tensors[init]);
  LogicalResult all = success();
  forEachIndex(op.getStaticLoopRanges(), [&](ArrayRef<int64_t> at) {
    if (succeeded(all))
      all = evaluatePoint(op, at, results);
  });
  for (auto [value, elements] : llvm::zip_equal(op->getResults(), results))
    tensors[value] = std::move(elements);
  return all;
}

//===----------------------------------------------------------------------===//
// Operations of nn, by their descriptions
//===----------------------------------------------------------------------===//

namespace {

/// Elements as numbers.
struct Numbers {
  Type type;
  SmallVector<int64_t> shape;
  std::vector<double> values;

  explicit Numbers(Value tensor)
      : type(getElementTypeOrSelf(tensor)), shape(shapeOf(tensor)),
        values(llvm::product_of(shape)) {}

  double &at(ArrayRef<int64_t> index) { return values[placeOf(index, shape)]; }
  Elements elements() const { return elements(type); }
  Elements elements(Type of) const {
    Elements elements;
    for (double value : values)
      elements.push_back(FloatAttr::get(of, value));
    return elements;
  }
};

/// Fails if an element was not written.
FailureOr<Numbers> numbersOf(Value tensor, const Elements &elements) {
  Numbers numbers(tensor);
  for (auto [value, element] : llvm::zip_equal(numbers.values, elements)) {
    if (!element)
      return emitError(tensor.getLoc(), "is read, and nothing has written it");
    value = cast<FloatAttr>(element).getValueAsDouble();
  }
  return numbers;
}

/// The softmax numerator of a query and a key, and the derivative of the capped
/// score; both 0 where the key is masked.
struct Score {
  double exponential = 0, slope = 0;
  double terms = 0; ///< sum of the magnitudes of the score's terms
};

/// Error bounds of rounding to 16 bits and of f32 sums (Interpreter.h).
struct Rounding {
  explicit Rounding(Type element)
      : u(element.isBF16() ? 0x1p-8 : 0x1p-11),
        t(element.isBF16() ? 0 : 0x1p-25) {}
  double u, t, e = 0x1p-14;
  double largest = u == 0x1p-8 ? 0x1p127 : 65504;

  /// Bound for a number that is rounded to 16 bits, which may overflow.
  double of(double x) const {
    return std::abs(x) < largest ? u * std::abs(x) + t
                                 : std::numeric_limits<double>::infinity();
  }

  /// Bound for a result, whose terms have the bound `terms`.
  double ofResult(double result, double terms) const {
    return terms + 2 * u * std::abs(result) + 2 * t;
  }
};

/// The scores of query `i` of head `h` of batch `b`; `starts` are the elements
/// of that operand, if any.
template <typename OpT>
SmallVector<Score> scoresOf(OpT op, Numbers &q, Numbers &k,
                            const Elements &starts, int64_t b, int64_t h,
                            int64_t i) {
  int64_t queries = q.shape[1], keys = k.shape[1],
          group = h / (q.shape[2] / k.shape[2]), last = i + keys - queries;
  int64_t first = op.getWindow() ? last - *op.getWindow() + 1 : 0;
  if (op.getStarts())
    first = std::max(first,
                     std::min(last, cast<IntegerAttr>(starts[b * queries + i])
                                        .getValue()
                                        .getSExtValue()));
  SmallVector<Score> scores(keys);
  for (int64_t j = 0; j < keys; ++j) {
    if (op.getCausal() && (j < first || j > last))
      continue;
    double score = 0, slope = 1, terms = 0;
    for (int64_t d = 0; d < q.shape[3]; ++d) {
      double term = q.at({b, i, h, d}) * k.at({b, j, group, d});
      score += term;
      terms += std::abs(term * op.getScale().convertToDouble());
    }
    score *= op.getScale().convertToDouble();
    if (op.getSoftCap()) {
      double cap = op.getSoftCap()->convertToDouble();
      double part = std::tanh(score / cap);
      score = cap * part;
      slope = 1 - part * part;
    }
    scores[j] = {std::exp(score), slope, terms};
  }
  return scores;
}

/// The factor that dropout gives the probability of key `j` in query `i` of
/// head `h` of batch `b`; `keys` are the elements of that operand, if any.
template <typename OpT>
double factorOf(OpT op, const Elements &keys, int64_t b, int64_t h, int64_t i,
                int64_t j) {
  const int64_t key =
      keys.empty() ? 0 : cast<IntegerAttr>(keys[b]).getValue().getSExtValue();
  if (key == 0)
    return 1;
  const zrt::Dropout dropout(key, *op.getPlace(),
                             op.getRate()->convertToDouble());
  const int64_t queries = op.getQ().getType().getDimSize(1),
                all = op.getK().getType().getDimSize(1);
  return dropout.keeps((h * queries + i) * all + j) ? dropout.factor : 0;
}

/// Adds the bounds of rounding `results` to `errors`, in f64.
Elements withResult(Numbers &errors, const Numbers &results,
                    const Rounding &rounding) {
  for (auto [error, result] : llvm::zip_equal(errors.values, results.values))
    error = rounding.ofResult(result, error);
  return errors.elements(Float64Type::get(results.type.getContext()));
}

} // namespace

LogicalResult Interpreter::evaluate(nn::EmbeddingBackwardOp op) {
  Elements tokens = tensors[op.getTokens()], grad = tensors[op.getGrad()];
  auto table = numbersOf(op.getInit(), tensors[op.getInit()]);
  auto terms = numbersOf(op.getGrad(), grad);
  if (failed(table) || failed(terms))
    return failure();
  int64_t width = table->shape[1];
  for (auto [i, token] : llvm::enumerate(tokens)) {
    int64_t row = cast<IntegerAttr>(token).getInt();
    if (row < 0 || row >= table->shape[0])
      return op.emitOpError("reads outside of its tensor");
    for (int64_t c = 0; c < width; ++c)
      table->at({row, c}) += terms->values[i * width + c];
  }
  tensors[op.getResult()] = table->elements();
  return success();
}

LogicalResult Interpreter::evaluate(nn::AttentionOp op) {
  auto q = numbersOf(op.getQ(), tensors[op.getQ()]),
       k = numbersOf(op.getK(), tensors[op.getK()]),
       v = numbersOf(op.getV(), tensors[op.getV()]);
  if (failed(q) || failed(k) || failed(v))
    return failure();
  Numbers out(op.getResult()), errors(op.getResult());
  const Rounding r(out.type);
  Builder types(op.getContext());
  Type f32 = types.getF32Type(), f64 = types.getF64Type();
  Elements lse(q->shape[0] * q->shape[2] * q->shape[1]);
  const Elements starts = op.getStarts() ? tensors[op.getStarts()] : Elements(),
                 keys = op.getKeys() ? tensors[op.getKeys()] : Elements();
  int64_t perGroup = q->shape[2] / k->shape[2];
  forEachIndex(
      {q->shape[0], q->shape[2], q->shape[1]}, [&](ArrayRef<int64_t> at) {
        auto [b, h, i] = std::tuple(at[0], at[1], at[2]);
        auto scores = scoresOf(op, *q, *k, starts, b, h, i);
        double sum = 0, largest = 0;
        for (const Score &score : scores) {
          sum += score.exponential;
          largest = std::max(largest, score.terms);
        }
        double stat = std::log(sum);
        if (givesErrors)
          stat = 0x1p-18 * (1 + std::abs(stat) + largest);
        lse[placeOf(at, {q->shape[0], q->shape[2], q->shape[1]})] =
            FloatAttr::get(givesErrors ? f64 : f32, stat);
        for (auto [j, score] : llvm::enumerate(scores))
          for (int64_t d = 0; d < q->shape[3]; ++d) {
            double p = score.exponential / sum * factorOf(op, keys, b, h, i, j),
                   value = v->at({b, int64_t(j), h / perGroup, d});
            out.at({b, i, h, d}) += p * value;
            if (p > 0)
              errors.at({b, i, h, d}) += (r.of(p) + r.e * p) * std::abs(value);
          }
      });
  tensors[op.getResult()] =
      givesErrors ? withResult(errors, out, r) : out.elements();
  if (op.getLse())
    tensors[op.getLse()] = std::move(lse);
  return success();
}

LogicalResult Interpreter::evaluate(nn::AttentionBackwardOp op) {
  auto grad = numbersOf(op.getGrad(), tensors[op.getGrad()]),
       q = numbersOf(op.getQ(), tensors[op.getQ()]),
       k = numbersOf(op.getK(), tensors[op.getK()]),
       v = numbersOf(op.getV(), tensors[op.getV()]),
       lse = numbersOf(op.getLse(), tensors[op.getLse()]),
       delta = numbersOf(op.getDelta(), tensors[op.getDelta()]);
  if (failed(grad) || failed(q) || failed(k) || failed(v) || failed(lse) ||
      failed(delta))
    return failure();
  Numbers dq(op.getDq()), dk(op.getDk()), dv(op.getDv()), dqErrors(op.getDq()),
      dkErrors(op.getDk()), dvErrors(op.getDv());
  const Rounding r(dq.type);
  double scale = op.getScale().convertToDouble();
  const Elements starts = op.getStarts() ? tensors[op.getStarts()] : Elements(),
                 keys = op.getKeys() ? tensors[op.getKeys()] : Elements();
  int64_t perGroup = q->shape[2] / k->shape[2];
  forEachIndex(lse->shape, [&](ArrayRef<int64_t> at) {
    auto [b, h, i] = std::tuple(at[0], at[1], at[2]);
    int64_t g = h / perGroup;
    auto scores = scoresOf(op, *q, *k, starts, b, h, i);
    SmallVector<double> p, dp(scores.size(), 0), terms(scores.size(), 0);
    const double mean = delta->at(at);
    for (int64_t j = 0; j < int64_t(scores.size()); ++j) {
      p.push_back(scores[j].exponential * std::exp(-lse->at(at)));
      for (int64_t d = 0; d < q->shape[3]; ++d) {
        double term = grad->at({b, i, h, d}) * v->at({b, j, g, d}) *
                      factorOf(op, keys, b, h, i, j);
        dp[j] += term;
        terms[j] += std::abs(term);
      }
    }
    for (int64_t j = 0; j < int64_t(scores.size()); ++j)
      for (int64_t d = 0; d < q->shape[3]; ++d) {
        double ds = scale * p[j] * (dp[j] - mean) * scores[j].slope;
        dq.at({b, i, h, d}) += ds * k->at({b, j, g, d});
        dk.at({b, j, g, d}) += ds * q->at({b, i, h, d});
        const double kept = p[j] * factorOf(op, keys, b, h, i, j);
        dv.at({b, j, g, d}) += kept * grad->at({b, i, h, d});
        if (p[j] == 0)
          continue;
        double error =
            std::abs(scale) *
            (r.of(ds / scale) +
             r.e * p[j] * (terms[j] + std::abs(mean)) * scores[j].slope);
        dqErrors.at({b, i, h, d}) += error * std::abs(k->at({b, j, g, d}));
        dkErrors.at({b, j, g, d}) += error * std::abs(q->at({b, i, h, d}));
        dvErrors.at({b, j, g, d}) +=
            (r.of(kept) + r.e * kept) * std::abs(grad->at({b, i, h, d}));
      }
  });
  auto give = [&](Value result, const Numbers &numbers, Numbers &errors) {
    tensors[result] =
        givesErrors ? withResult(errors, numbers, r) : numbers.elements();
  };
  give(op.getDq(), dq, dqErrors);
  give(op.getDk(), dk, dkErrors);
  give(op.getDv(), dv, dvErrors);
  return success();
}

//===----------------------------------------------------------------------===//
// All operations
//===----------------------------------------------------------------------===//

LogicalResult Interpreter::evaluate(Operation *op) {
  if (auto scatter = dyn_cast<nn::EmbeddingBackwardOp>(op))
    return evaluate(scatter);
  if (auto attention = dyn_cast<nn::AttentionOp>(op))
    return evaluate(attention);
  if (auto backward = dyn_cast<nn::AttentionBackwardOp>(op))
    return evaluate(backward);
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return evaluate(structured);
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()))
      tensors[constant] = Elements(dense.value_begin<Attribute>(),
                                   dense.value_end<Attribute>());
    else
      scalars[constant] = constant.getValue();
    return success();
  }
  if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
    tensors[empty] = Elements(empty.getType().getNumElements());
    return success();
  }
  if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op)) {
    Elements elements = tensors[op->getOperand(0)];
    tensors[op->getResult(0)] = std::move(elements);
    return success();
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    Elements elements;
    forEachOf(slice, shapeOf(slice.getSource()), [&](int64_t place) {
      elements.push_back(tensors[slice.getSource()][place]);
    });
    tensors[slice] = std::move(elements);
    return success();
  }
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
    Elements elements = tensors[insert.getDest()];
    size_t next = 0;
    forEachOf(insert, insert.getType().getShape(), [&](int64_t place) {
      elements[place] = tensors[insert.getSource()][next++];
    });
    tensors[insert] = std::move(elements);
    return success();
  }
  return op->emitOpError("has no meaning here");
}

static FailureOr<SmallVector<Elements>>
evaluateKernel(Interpreter &interpreter, KernelOp kernel,
               ArrayRef<Elements> operands) {
  Block &body = kernel.front();
  for (auto [argument, elements] :
       llvm::zip_equal(body.getArguments(), operands))
    interpreter.tensors[argument] = elements;
  for (Operation &op : body.without_terminator())
    if (failed(interpreter.evaluate(&op)))
      return failure();
  SmallVector<Elements> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(interpreter.tensors[value]);
  return results;
}

FailureOr<SmallVector<Elements>> zero::interpret(KernelOp kernel,
                                                 ArrayRef<Elements> operands) {
  Interpreter interpreter;
  return evaluateKernel(interpreter, kernel, operands);
}

FailureOr<SmallVector<Elements>>
zero::interpretErrors(KernelOp kernel, ArrayRef<Elements> operands) {
  Interpreter interpreter;
  interpreter.givesErrors = true;
  return evaluateKernel(interpreter, kernel, operands);
}
