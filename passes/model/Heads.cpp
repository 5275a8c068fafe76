//===- Heads.cpp - The linear layers whose results are logits -------------===//
//
// From each loss backward:
//
//   %h = nn.rms_norm ...
//   %y = nn.linear %h, %w        a head
//   %c = arith.mulf (math.tanh (arith.mulf %y, ...)), ...
//   %l = nn.cross_entropy %c, ...
//
//===----------------------------------------------------------------------===//
#include "passes/model/Heads.h"

#include "dialect/nn/NN.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::zero;

/// Whether `op` is a layer, so that what it reads is no longer of the logits.
static bool isLayer(Operation *op) {
  auto named = dyn_cast<linalg::LinalgOp>(op);
  return (named && linalg::isaContractionOpInterface(named)) ||
         op->hasTrait<nn::IsLayer>();
}

DenseSet<Operation *> zero::findHeads(func::FuncOp model) {
  DenseSet<Operation *> heads, seen;
  SmallVector<Value> rest;
  model.walk(
      [&](nn::CrossEntropyOp loss) { rest.push_back(loss.getLogits()); });
  while (!rest.empty()) {
    Operation *op = rest.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (isa<nn::LinearOp>(op))
      heads.insert(op);
    else if (!isLayer(op))
      llvm::append_range(rest, op->getOperands());
  }
  return heads;
}
