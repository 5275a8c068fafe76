//===- parallel-gpt.cpp - A GPT with one twist, written in C++ ------------===//
//
// A small byte-level GPT whose blocks compute attention and MLP side by side,
// from one norm, as in GPT-J (Wang & Komatsuzaki, 2021):
//
//   x = x + attention(norm(x)) + mlp(norm(x))
//
// Run it and compile what it prints:
//
//   parallel-gpt > parallel.mlir
//   zeroc parallel.mlir -o train
//
//===----------------------------------------------------------------------===//
#include "frontend/Layers.h"
#include "frontend/PrintModel.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::frontend;

static constexpr int64_t B = 8, T = 64; // batch and sequence
static constexpr int64_t V = 256, C = 128, H = 4,
                         L = 4; // bytes, width, heads, layers

static Tensor selfAttention(ModelBuilder &m, Tensor x) {
  Scope in = m.scope("attn");
  Tensor qkv = conv1d(m, "qkv", x, 3 * C, 0.02);
  Tensor q = qkv.slice(-1, 0, C).reshape({B, T, H, C / H});
  Tensor k = qkv.slice(-1, C, C).reshape({B, T, H, C / H});
  Tensor v = qkv.slice(-1, 2 * C, C).reshape({B, T, H, C / H});
  Tensor y = attention(q, k, v, {.causal = true});
  return conv1d(m, "out", y.reshape({B, T, C}), C, 0.02);
}

static Tensor mlp(ModelBuilder &m, Tensor x) {
  Scope in = m.scope("mlp");
  return conv1d(m, "out", gelu(conv1d(m, "in", x, 4 * C, 0.02)), C, 0.02);
}

static Tensor block(ModelBuilder &m, int64_t layer, Tensor x) {
  std::string name = ("h." + Twine(layer)).str();
  Scope of = m.block(name), in = m.scope(name);
  Tensor n = layerNormLayer(m, "norm", x);
  // Separate statements: C++ does not specify the evaluation order of operands.
  Tensor a = selfAttention(m, n);
  Tensor f = mlp(m, n);
  return (x + a + f).named("out");
}

int main() {
  MLIRContext context;
  ModelBuilder m(context);
  Tensor tokens = m.tokens(B, T, V), targets = m.targets(B, T, V);

  Tensor wte = m.param("wte.weight", {V, C}, init::normal(0.02));
  Tensor wpe = m.param("wpe.weight", {T, C}, init::normal(0.02));
  Tensor x = embedding(tokens, wte) + wpe;
  for (int64_t layer = 0; layer < L; ++layer)
    x = block(m, layer, x);
  Tensor logits = linear(layerNormLayer(m, "norm", x), wte);

  OwningOpRef<ModuleOp> module = m.finish(crossEntropy(logits, targets));
  if (!module)
    return 1; // the error has been printed
  llvm::outs() << printModel(*module);
  return 0;
}
