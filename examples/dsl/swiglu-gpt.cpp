//===- swiglu-gpt.cpp - Custom layers, written in C++ ---------------------===//
//
// A small byte-level GPT with the parts of Llama (Touvron et al., 2023), each
// written from sums, products and functions of single elements:
//
//   RMSNorm    x rsqrt(mean(x^2) + eps) w       Zhang & Sennrich, 2019
//   SwiGLU     W2 (silu(W1 x) * W3 x)           Shazeer, 2020
//   RoPE       pairs turn by position / 10000^(2i/D)     Su et al., 2021
//
// The compiler differentiates these expressions without special knowledge of
// the layers.  Run it and compile what it prints:
//
//   swiglu-gpt > swiglu.mlir
//   zeroc swiglu.mlir -o train
//
//===----------------------------------------------------------------------===//
#include "frontend/Functions.h"
#include "frontend/PrintModel.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;
using namespace mlir::frontend;

static constexpr int64_t B = 8, T = 64; // batch and sequence
static constexpr int64_t V = 256, C = 96, H = 4, D = C / H; // bytes and widths
static constexpr int64_t F = 256, L = 3; // width of the MLP, and layers

static Tensor rmsNorm(ModelBuilder &m, const Twine &name, Tensor x) {
  Scope in = m.scope(name);
  Tensor weight = m.param("weight", {x.size(-1)}, init::constant(1));
  Tensor square = mean(x * x, -1, {.keepDim = true});
  return x * rsqrt(square + 1e-5) * weight;
}

/// A linear layer without bias.
static Tensor project(ModelBuilder &m, StringRef name, Tensor x, int64_t out) {
  Scope in = m.scope(name);
  return linear(x, m.param("weight", {out, x.size(-1)}, init::normal(0.02)));
}

static Tensor swiglu(ModelBuilder &m, Tensor x) {
  Scope in = m.scope("mlp");
  Tensor gate = project(m, "w1", x, F), up = project(m, "w3", x, F);
  return project(m, "w2", gate * sigmoid(gate) * up, C);
}

/// [T, 1, D / 2] angles, which fit [B, T, H, D / 2].
static Tensor turns(ModelBuilder &m, double (*function)(double)) {
  std::vector<double> values;
  for (int64_t t = 0; t < T; ++t)
    for (int64_t i = 0; i < D / 2; ++i)
      values.push_back(
          function(double(t) * std::pow(1e4, -2.0 * double(i) / D)));
  return m.dense({T, 1, D / 2}, values);
}

static Tensor rotate(ModelBuilder &m, Tensor x) {
  Tensor cos = turns(m, std::cos), sin = turns(m, std::sin);
  Tensor a = x.slice(-1, 0, D / 2), b = x.slice(-1, D / 2, D / 2);
  return concat({a * cos - b * sin, b * cos + a * sin}, -1);
}

static Tensor selfAttention(ModelBuilder &m, Tensor x) {
  Scope in = m.scope("attention");
  Tensor q = project(m, "q", x, C).reshape({B, T, H, D});
  Tensor k = project(m, "k", x, C).reshape({B, T, H, D});
  Tensor v = project(m, "v", x, C).reshape({B, T, H, D});
  Tensor y = attention(rotate(m, q), rotate(m, k), v, {.causal = true});
  return project(m, "o", y.reshape({B, T, C}), C);
}

int main() {
  MLIRContext context;
  ModelBuilder m(context);
  Tensor tokens = m.tokens(B, T, V), targets = m.targets(B, T, V);

  Tensor x =
      embedding(tokens, m.param("wte.weight", {V, C}, init::normal(0.02)));
  for (int64_t layer = 0; layer < L; ++layer) {
    std::string name = ("layers." + Twine(layer)).str();
    Scope of = m.block(name), in = m.scope(name);
    x = x + selfAttention(m, rmsNorm(m, "attention_norm", x));
    x = x + swiglu(m, rmsNorm(m, "mlp_norm", x));
  }
  Tensor logits = project(m, "head", rmsNorm(m, "norm", x), V);

  OwningOpRef<ModuleOp> module = m.finish(crossEntropy(logits, targets));
  if (!module)
    return 1; // the error has been printed
  llvm::outs() << printModel(*module);
  return 0;
}
