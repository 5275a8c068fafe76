//===- Attention.cpp - Attention, rotary and document masks ---------------===//
#include "frontend/Functions.h"

#include "dialect/nn/NN.h"
#include "frontend/Emit.h"

#include <cmath>

using namespace mlir;
using namespace mlir::frontend;

/// Reports the first misfit of q, k and `options`; returns true if they fit.
static bool fits(Tensor q, Tensor k, const AttentionOptions &options) {
  ModelBuilder &m = q.getBuilder();
  if (options.causal && k.size(1) < q.size(1)) {
    m.error("causal attention needs at least as many keys as queries, got " +
            Twine(k.size(1)) + " and " + Twine(q.size(1)));
    return false;
  }
  if (!options.causal && (options.window || options.starts)) {
    m.error(Twine("the ") + (options.window ? "window" : "starts") +
            " of attention hides earlier positions; add .causal = true");
    return false;
  }
  if (options.window && *options.window <= 0) {
    m.error("the window of attention must be positive, got " +
            Twine(*options.window));
    return false;
  }
  if (options.softCap &&
      !(*options.softCap > 0 && std::isfinite(*options.softCap))) {
    m.error("the soft cap of attention must be positive and finite");
    return false;
  }
  if (options.starts &&
      (!options.starts.getType().getElementType().isInteger(32) ||
       options.starts.shape() != q.shape().take_front(2))) {
    m.error("the starts of attention must be i32 [B, T] for q " + describe(q) +
            ", got " + describe(options.starts));
    return false;
  }
  return options.dropout == 0 || isDropout(q, options.keys, options.dropout);
}

Tensor frontend::attention(Tensor q, Tensor k, Tensor v,
                           AttentionOptions options) {
  if (!allValid({q, k, v}) || !allFloat("attention", {q, k, v}))
    return {};
  ModelBuilder &m = q.getBuilder();
  if (q.shape().size() != 4 || k.shape().size() != 4 ||
      k.shape() != v.shape() || q.size(0) != k.size(0) ||
      q.size(3) != k.size(3))
    return m.error("attention needs q [B, T, H, D] and k, v [B, S, G, D], "
                   "got q " +
                   describe(q) + ", k " + describe(k) + ", v " + describe(v));
  if (q.size(2) % k.size(2) != 0)
    return m.error("attention has " + Twine(q.size(2)) +
                   " query heads, which must be a multiple of the " +
                   Twine(k.size(2)) + " heads of keys and values");
  if (!fits(q, k, options))
    return {};
  double scale =
      options.scale.value_or(1 / std::sqrt(static_cast<double>(q.size(3))));
  if (!std::isfinite(scale))
    return m.error("the scale of attention is not finite");
  OpBuilder &b = m.getOpBuilder();
  const bool drops = options.dropout != 0;
  return emit<nn::AttentionOp>(
      m, q.getType(), /*lse=*/Type(), q.getValue(), k.getValue(), v.getValue(),
      options.starts ? options.starts.getValue() : Value(),
      drops ? options.keys.getValue() : Value(), b.getF64FloatAttr(scale),
      options.causal ? b.getUnitAttr() : UnitAttr(),
      options.window ? b.getI64IntegerAttr(*options.window) : IntegerAttr(),
      options.softCap ? b.getF64FloatAttr(*options.softCap) : FloatAttr(),
      drops ? b.getF64FloatAttr(options.dropout) : FloatAttr(),
      drops ? b.getI64IntegerAttr(m.nextDropoutPlace()) : IntegerAttr());
}

Tensor frontend::rope(Tensor x, RopeOptions options) {
  if (!x || !allFloat("rope", {x}))
    return {};
  ModelBuilder &m = x.getBuilder();
  if (x.shape().size() != 4)
    return m.error("rope needs x [B, T, H, D], got " + describe(x));
  const int64_t rotated = 2 * int64_t(options.frequencies.size());
  if (rotated == 0 || rotated > x.size(3))
    return m.error("rope has " + Twine(options.frequencies.size()) +
                   " frequencies, which rotate " + Twine(rotated) +
                   " elements, and a head of x " + describe(x) + " has " +
                   Twine(x.size(3)) + "; give 1 to " + Twine(x.size(3) / 2));
  if (!llvm::all_of(options.frequencies,
                    [](double f) { return std::isfinite(f); }) ||
      !std::isfinite(options.factor) || options.factor == 0)
    return m.error("the frequencies of rope must be finite, and its factor "
                   "finite and not 0");
  OpBuilder &b = m.getOpBuilder();
  return emitLike<nn::RopeOp>(
      x, Value(), b.getDenseF64ArrayAttr(options.frequencies),
      b.getF64FloatAttr(options.factor),
      options.interleaved ? b.getUnitAttr() : UnitAttr(), UnitAttr());
}

SmallVector<double> frontend::ropeFrequencies(int64_t rotated, double base) {
  SmallVector<double> frequencies;
  for (int64_t d = 0; 2 * d < rotated; ++d)
    frequencies.push_back(std::pow(base, -2.0 * static_cast<double>(d) /
                                             static_cast<double>(rotated)));
  return frequencies;
}

Tensor frontend::documentStarts(Tensor tokens, int64_t separator) {
  if (!tokens || !isIds("tokens", tokens))
    return {};
  ModelBuilder &m = tokens.getBuilder();
  if (tokens.shape().size() != 2)
    return m.error("documentStarts needs tokens [B, T], got " +
                   describe(tokens));
  OpBuilder &b = m.getOpBuilder();
  auto type = RankedTensorType::get(tokens.shape(), b.getI32Type());
  return emit<nn::DocumentStartsOp>(m, type, tokens.getValue(),
                                    b.getI64IntegerAttr(separator));
}
