//===- DeltaRule.cpp - Layers that keep a state ---------------------------===//
#include "frontend/DeltaRule.h"

#include "dialect/nn/NN.h"
#include "frontend/Emit.h"
#include "frontend/Functions.h"

#include <cmath>

using namespace mlir;
using namespace mlir::frontend;

Tensor frontend::causalConv(Tensor x, Tensor weight, Tensor starts) {
  if (!allValid({x, weight}) || !allFloat("causalConv", {x, weight}))
    return {};
  ModelBuilder &m = x.getBuilder();
  if (x.shape().size() != 3 || weight.shape().size() != 2 ||
      weight.size(0) != x.size(2) ||
      (starts && starts.shape() != x.shape().take_front(2)))
    return m.error("causalConv needs x [B, T, C], a weight [C, K] and starts "
                   "[B, T], got x " +
                   describe(x) + ", weight " + describe(weight));
  return emitLike<nn::CausalConvOp>(x, weight.getValue(),
                                    starts ? starts.getValue() : Value());
}

Tensor frontend::gatedDeltaRule(Tensor q, Tensor k, Tensor v,
                                DeltaRuleOptions options) {
  if (!allValid({q, k, v, options.gates}) ||
      !allFloat("gatedDeltaRule", {q, k, v, options.gates}))
    return {};
  ModelBuilder &m = q.getBuilder();
  const auto &[gates, beta, starts] = options;
  if (q.shape().size() != 4 || q.getType() != k.getType() ||
      v.shape().size() != 4 ||
      q.shape().take_front(2) != v.shape().take_front(2) ||
      v.size(2) % q.size(2) != 0)
    return m.error("gatedDeltaRule needs q and k [B, T, G, K] and v [B, T, H, "
                   "V], with H a multiple of G, got q " +
                   describe(q) + ", k " + describe(k) + ", v " + describe(v));
  if (gates.shape() != v.shape().drop_back() ||
      (beta && beta.getType() != gates.getType()) ||
      (starts && starts.shape() != v.shape().take_front(2)))
    return m.error("gatedDeltaRule needs gates and beta [B, T, H] and starts "
                   "[B, T] of v " +
                   describe(v) + ", got gates " + describe(gates));
  return emit<nn::GatedDeltaRuleOp>(
      m, v.getType(), /*states=*/Type(), q.getValue(), k.getValue(),
      v.getValue(), gates.getValue(), beta ? beta.getValue() : Value(),
      starts ? starts.getValue() : Value());
}

/// A linear layer without bias.
static Tensor project(ModelBuilder &m, StringRef name, Tensor x, int64_t out,
                      double std) {
  Scope in = m.scope(name);
  return linear(x, m.param("weight", {out, x.size(-1)}, init::normal(std)));
}

/// x / sqrt(sum of x^2 + 1e-6), times `factor`, over the last dimension.
static Tensor normalized(Tensor x, double factor) {
  const auto width = double(x.size(-1));
  Tensor weight =
      x.getBuilder().constant({x.size(-1)}, factor / std::sqrt(width));
  return rmsNorm(x, weight, {.eps = 1e-6 / width});
}

Tensor frontend::gatedDeltaNet(ModelBuilder &m, Tensor x, Tensor starts,
                               const DeltaLayer &of) {
  if (!x)
    return {};
  const int64_t B = x.size(0), T = x.size(1), G = of.keyHeads,
                H = of.valueHeads, K = of.keyWidth, V = of.valueWidth;
  const int64_t keys = G * K, channels = 2 * keys + H * V;
  Tensor mixed = project(m, "in_proj_qkv", x, channels, of.std);
  Tensor z = project(m, "in_proj_z", x, H * V, of.std);
  Tensor b = project(m, "in_proj_b", x, H, of.std);
  Tensor a = project(m, "in_proj_a", x, H, of.std);
  {
    Scope in = m.scope("conv1d");
    Tensor weight =
        m.param("weight", {channels, 1, of.taps}, init::normal(of.std));
    mixed = of.activation->apply(
        causalConv(mixed, weight.reshape({channels, of.taps}), starts));
  }
  Tensor q = mixed.slice(-1, 0, keys).reshape({B, T, G, K}),
         k = mixed.slice(-1, keys, keys).reshape({B, T, G, K}),
         v = mixed.slice(-1, 2 * keys, H * V).reshape({B, T, H, V});
  // A decays by exp(-A), A from 1 to 16 at first.
  Tensor logOfA = m.param("A_log", {H}, init::uniform(0, std::log(16.0))),
         bias = m.param("dt_bias", {H}, init::constant(1));
  Tensor o;
  {
    Scope in = m.scope("rule");
    o = gatedDeltaRule(normalized(q, 1 / std::sqrt(double(K))),
                       normalized(k, 1), v,
                       {.gates = -exp(logOfA) * softplus(a + bias),
                        .beta = sigmoid(b),
                        .starts = starts});
  }
  {
    Scope in = m.scope("norm");
    Tensor weight = m.param("weight", {V}, init::constant(1));
    o = rmsNorm(o, weight, {.eps = of.normEps}) * silu(z.reshape({B, T, H, V}));
  }
  return project(m, "out_proj", o.reshape({B, T, H * V}), x.size(2), of.std);
}

Tensor frontend::gatedConv(ModelBuilder &m, Tensor x, Tensor starts,
                           int64_t taps, double std) {
  if (!x)
    return {};
  const int64_t width = x.size(2);
  Tensor all = project(m, "in_proj", x, 3 * width, std);
  Tensor b = all.slice(-1, 0, width), c = all.slice(-1, width, width),
         y = all.slice(-1, 2 * width, width);
  {
    Scope in = m.scope("conv");
    Tensor weight = m.param("weight", {width, 1, taps}, init::normal(std));
    y = causalConv(b * y, weight.reshape({width, taps}), starts);
  }
  return project(m, "out_proj", c * y, width, std);
}
