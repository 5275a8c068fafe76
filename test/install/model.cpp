// A model that only the installed headers know: two layers over bytes.
#include "frontend/Layers.h"
#include "frontend/PrintModel.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::frontend;

int main() {
  constexpr int64_t batch = 4, sequence = 16, vocabulary = 256, width = 32;
  MLIRContext context;
  ModelBuilder m(context);
  Tensor tokens = m.tokens(batch, sequence, vocabulary),
         targets = m.targets(batch, sequence, vocabulary);
  Tensor table =
      m.param("table.weight", {vocabulary, width}, init::normal(0.02));
  Tensor x = embedding(tokens, table);
  for (const char *name : {"first", "second"}) {
    Scope of = m.block(name), in = m.scope(name);
    x = x + gelu(conv1d(m, "out", layerNormLayer(m, "norm", x), width, 0.02));
  }
  OwningOpRef<ModuleOp> module =
      m.finish(crossEntropy(linear(x, table), targets));
  if (!module)
    return 1;
  llvm::outs() << printModel(*module);
  return 0;
}
