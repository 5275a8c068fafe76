//===- Layers.h - Operations together with their parameters -----*- C++ -*-===//
//
// Each layer makes its parameters in a scope of its own name, under Hugging
// Face's names: "c_attn.weight", "c_attn.bias".
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/Functions.h"

namespace mlir::frontend {

/// A layerNorm with initial weight 1 and bias 0.
inline Tensor layerNormLayer(ModelBuilder &m, const Twine &name, Tensor x,
                             double eps = 1e-5) {
  Scope in = m.scope(name);
  if (!x)
    return {};
  Tensor weight = m.param("weight", {x.size(-1)}, init::constant(1));
  Tensor bias = m.param("bias", {x.size(-1)}, init::constant(0));
  return layerNorm(x, weight, bias, eps);
}

/// GPT-2's Conv1D: a linear layer to `out` values.  Its weight is stored [in,
/// out] and drawn from a normal distribution; the bias begins at 0.
inline Tensor conv1d(ModelBuilder &m, const Twine &name, Tensor x, int64_t out,
                     double std) {
  Scope in = m.scope(name);
  if (!x)
    return {};
  Tensor weight = m.param("weight", {x.size(-1), out}, init::normal(std));
  Tensor bias = m.param("bias", {out}, init::constant(0));
  return linear(x, weight, bias, {.transposed = true});
}

/// The scores [..., `scores`] of a head without bias.
inline Tensor scoreLayer(ModelBuilder &m, Tensor x, int64_t scores,
                         double std) {
  Scope of = m.block("score"), in = m.scope("score");
  if (!x)
    return {};
  return linear(x, m.param("weight", {scores, x.size(-1)}, init::normal(std)));
}

} // namespace mlir::frontend
