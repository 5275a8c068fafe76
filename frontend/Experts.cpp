//===- Experts.cpp - Mixtures of experts ----------------------------------===//
#include "frontend/Experts.h"

#include "dialect/nn/NN.h"
#include "dialect/nn/Scalar.h"
#include "frontend/Emit.h"

using namespace mlir;
using namespace mlir::frontend;

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static RankedTensorType ofNumbers(ModelBuilder &m, ArrayRef<int64_t> shape) {
  return m.getType(shape, m.getOpBuilder().getI32Type());
}

static bool areValid(const ExpertGroups &groups) {
  return allValid({groups.rows, groups.places, groups.offsets});
}

std::pair<Tensor, Tensor> frontend::topK(Tensor x, int64_t k) {
  if (!x || !allFloat("topK", {x}))
    return {};
  ModelBuilder &m = x.getBuilder();
  if (x.shape().size() != 2 || k < 1 || k > x.size(1)) {
    m.error("topK takes 1 to all columns of [rows, columns], got " + Twine(k) +
            " of " + describe(x));
    return {};
  }
  auto op = nn::TopKOp::create(
      m.getOpBuilder(), m.getLoc(),
      m.getType({x.size(0), k}, x.getType().getElementType()),
      ofNumbers(m, {x.size(0), k}), x.getValue());
  return {{m, op.getValues()}, {m, op.getExperts()}};
}

ExpertGroups frontend::groupByExpert(Tensor chosen, int64_t experts) {
  if (!chosen)
    return {};
  ModelBuilder &m = chosen.getBuilder();
  if (chosen.shape().size() != 2 ||
      !chosen.getType().getElementType().isInteger(32) || experts < 1) {
    m.error("groupByExpert takes i32 ids [tokens, k] of one expert or more, "
            "got " +
            describe(chosen) + " of " + Twine(experts));
    return {};
  }
  auto op = nn::GroupByExpertOp::create(
      m.getOpBuilder(), m.getLoc(),
      ofNumbers(m, {chosen.getType().getNumElements()}), chosen.getType(),
      ofNumbers(m, {experts + 1}), chosen.getValue());
  return {{m, op.getRows()}, {m, op.getPlaces()}, {m, op.getOffsets()}};
}

Tensor frontend::gatherRows(Tensor x, const ExpertGroups &groups) {
  if (!x || !areValid(groups) || !allFloat("gatherRows", {x}))
    return {};
  ModelBuilder &m = x.getBuilder();
  if (x.shape().size() != 2 || x.size(0) != groups.places.size(0))
    return m.error("gatherRows needs a row for each of " +
                   Twine(groups.places.size(0)) + " tokens, got " +
                   describe(x));
  return emit<nn::GatherRowsOp>(
      m,
      m.getType({groups.rows.size(0), x.size(1)}, x.getType().getElementType()),
      x.getValue(), groups.rows.getValue(), groups.places.getValue());
}

Tensor frontend::groupedLinear(Tensor x, const ExpertGroups &groups,
                               ArrayRef<Tensor> weights,
                               LinearOptions options) {
  if (!x || !areValid(groups) || !allValid(weights) ||
      !allFloat("groupedLinear", {x}) || !allFloat("groupedLinear", weights))
    return {};
  ModelBuilder &m = x.getBuilder();
  if (int64_t(weights.size()) + 1 != groups.offsets.size(0))
    return m.error("groupedLinear needs a weight for each of " +
                   Twine(groups.offsets.size(0) - 1) + " experts, got " +
                   Twine(weights.size()));
  Tensor first = weights.front();
  for (Tensor weight : weights)
    if (weight.getType() != first.getType())
      return m.error("weights of experts have one shape, got " +
                     describe(first) + " and " + describe(weight));
  int64_t in = first.size(options.transposed ? 0 : 1),
          out = first.size(options.transposed ? 1 : 0);
  if (first.shape().size() != 2 || x.shape().size() != 2 || x.size(1) != in ||
      x.size(0) != groups.rows.size(0))
    return m.error("weights " + describe(first) + " take rows of " + Twine(in) +
                   " for " + Twine(groups.rows.size(0)) + " pairs, got " +
                   describe(x));
  SmallVector<Value> values = llvm::map_to_vector(
      weights, [](Tensor weight) { return weight.getValue(); });
  return emit<nn::GroupedMatmulOp>(
      m, m.getType({x.size(0), out}, x.getType().getElementType()),
      x.getValue(), groups.offsets.getValue(), values, options.transposed);
}

Tensor frontend::combineRows(Tensor y, const ExpertGroups &groups,
                             Tensor weights) {
  if (!y || !weights || !areValid(groups) ||
      !allFloat("combineRows", {y, weights}))
    return {};
  ModelBuilder &m = y.getBuilder();
  if (y.shape().size() != 2 || y.size(0) != groups.rows.size(0) ||
      weights.shape() != groups.places.shape())
    return m.error("combineRows needs a row and a weight for each of " +
                   Twine(groups.rows.size(0)) + " pairs, got " + describe(y) +
                   " and " + describe(weights));
  return emit<nn::CombineRowsOp>(m,
                                 m.getType({groups.places.size(0), y.size(1)},
                                           y.getType().getElementType()),
                                 y.getValue(), groups.rows.getValue(),
                                 groups.places.getValue(), weights.getValue());
}

Tensor frontend::logSumExp(Tensor x) {
  if (!x || !allFloat("logSumExp", {x}))
    return {};
  ModelBuilder &m = x.getBuilder();
  if (x.shape().empty())
    return m.error("logSumExp needs a dimension, got " + describe(x));
  return emit<nn::LogSumExpOp>(
      m, m.getType(x.shape().drop_back(), x.getType().getElementType()),
      x.getValue());
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

Routing frontend::router(ModelBuilder &m, Tensor x, RouterOptions options) {
  if (!x)
    return {};
  if (x.shape().size() != 2 || options.experts < 1 || options.chosen < 1 ||
      options.chosen > options.experts) {
    m.error("a router chooses 1 to all experts for rows [tokens, width], got " +
            Twine(options.chosen) + " of " + Twine(options.experts) + " for " +
            describe(x));
    return {};
  }
  Routing routing;
  Tensor weight = m.param("weight", {options.experts, x.size(1)},
                          init::normal(options.std));
  routing.logits = linear(x, weight);
  routing.probabilities = softmax(routing.logits);
  auto [values, experts] = topK(routing.probabilities, options.chosen);
  routing.chosen = experts;
  routing.groups = groupByExpert(experts, options.experts);
  routing.weights =
      options.normalize ? values / sum(values, -1, {.keepDim = true}) : values;
  return routing;
}

Tensor frontend::expertMlps(ModelBuilder &m, Tensor x, const Routing &routing,
                            ExpertMlpOptions options) {
  if (!x || !routing.weights)
    return {};
  if (options.inner < 1)
    return m.error("an expert's MLP needs an inner width, got " +
                   Twine(options.inner));
  int64_t width = x.size(-1);
  SmallVector<Tensor> gates, ups, downs;
  for (int64_t e = 0; e < routing.logits.size(1); ++e) {
    Scope in = m.scope(("experts." + Twine(e)).str());
    auto weight = [&](StringRef name, int64_t out, int64_t inputs) {
      return m.param((name + ".weight").str(), {out, inputs},
                     init::normal(options.std));
    };
    gates.push_back(weight(options.gate, options.inner, width));
    ups.push_back(weight(options.up, options.inner, width));
    downs.push_back(weight(options.down, width, options.inner));
  }
  Scope in = m.scope("experts");
  const ExpertGroups &groups = routing.groups;
  Tensor rows = gatherRows(x, groups).named("gather");
  Tensor gate = groupedLinear(rows, groups, gates).named(options.gate);
  Tensor up = groupedLinear(rows, groups, ups).named(options.up);
  Tensor hidden = options.activation(gate) * up;
  Tensor down = groupedLinear(hidden, groups, downs).named(options.down);
  return combineRows(down, groups, routing.weights).named("combine");
}

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

/// [experts]: how many tokens chose each, of those that are 1 in `mask` [N, 1],
/// or of all.
static Tensor countPairs(const Routing &routing, Tensor mask) {
  ModelBuilder &m = routing.chosen.getBuilder();
  OpBuilder &b = m.getOpBuilder();
  auto type =
      RankedTensorType::get({routing.probabilities.size(1)},
                            routing.probabilities.getType().getElementType());
  SmallVector<Value> inputs = {routing.chosen.getValue()};
  SmallVector<StringRef> maps = {"nk"};
  if (mask) {
    inputs.push_back(mask.reshape({mask.size(0)}).getValue());
    maps.push_back("n");
  }
  auto countOne = [&](const nn::Scalars &in) -> Value {
    nn::S count = in[inputs.size()];
    Value hit = in.isEqual(in[0], in.index(0, in[0].v.getType()));
    return count +
           select(hit, mask ? in[1] : count.constant(1), count.constant(0));
  };
  return {m, nn::emitGeneric(b, m.getLoc(), "enk", inputs, maps,
                             nn::zeros(b, m.getLoc(), type), "e", countOne)};
}

/// What is added to divisors, so that a mean over no tokens is 0.
static constexpr double kNone = 1e-30;

double RouterLosses::countRows() const {
  const auto layers = double(routings.size());
  return counted ? layers : layers * double(routings.front().logits.size(0));
}

Tensor RouterLosses::mask() const {
  if (!counted)
    return {};
  ModelBuilder &m = counted.getBuilder();
  Tensor ids = counted.reshape({counted.getType().getNumElements(), 1});
  auto counts = [&](const nn::Scalars &in) -> Value {
    Value none = in.emit<arith::ConstantIntOp>(in[0].v.getType(), -100);
    Value valid = in.compare(arith::CmpIPredicate::ne, in[0], none);
    return in.emit<arith::UIToFPOp>(m.getElementType(), valid);
  };
  return {
      m, nn::elementwise(m.getOpBuilder(), m.getLoc(), ids.getValue(), counts)};
}

Tensor RouterLosses::balance() const {
  Tensor only = mask(), counts, probabilities;
  for (const Routing &routing : routings) {
    if (!routing.weights)
      return {};
    Tensor count = countPairs(routing, only);
    Tensor all =
        sum(only ? routing.probabilities * only : routing.probabilities, 0);
    counts = counts ? counts + count : count;
    probabilities = probabilities ? probabilities + all : all;
  }
  if (only) {
    counts = counts / (sum(only) + kNone);
    probabilities = probabilities / (countValid(counted) + kNone);
  }
  const double rows = countRows();
  return sum(counts * probabilities) * (double(counts.size(0)) / (rows * rows));
}

Tensor RouterLosses::z() const {
  Tensor only = mask(), squares;
  for (const Routing &routing : routings) {
    Tensor lse = logSumExp(routing.logits), square = lse * lse;
    Tensor all = sum(only ? square * only.reshape(square.shape()) : square);
    squares = squares ? squares + all : all;
  }
  if (only)
    squares = squares / (countValid(counted) + kNone);
  return squares / countRows();
}
