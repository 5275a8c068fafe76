//===- MultiplyPacked.cpp - Products of few rows read packed parameters ---===//

#include "abi/zrt.h"
#include "dialect/nn/NN.h"
#include "dialect/zero/Zero.h"
#include "passes/partition/Passes.h"

namespace mlir::zero {
#define GEN_PASS_DEF_MULTIPLYPACKED
#include "passes/partition/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

/// Returns true if `use` is the matrix that few rows are multiplied by.
static bool isOfFewRows(OpOperand &use) {
  auto product = dyn_cast<nn::MatmulOp>(use.getOwner());
  return product && &use == &product.getBMutable() && product.getTransposeB() &&
         !product.getTransposeA() && product.getA().getType().getRank() == 2 &&
         product.getM() <= ZRT_PACKED_ROWS &&
         product.getK() <= ZRT_PACKED_DEPTH &&
         product.getK() % ZRT_PACKED_BLOCK == 0;
}

namespace {
struct MultiplyPackedPass : zero::impl::MultiplyPackedBase<MultiplyPackedPass> {
  void runOnOperation() override {
    if (getOperation()->hasAttr(kTargetAttr)) // of a GPU
      return;
    getOperation().walk([](UnpackOp op) {
      if (!llvm::all_of(op->getUses(), isOfFewRows))
        return;
      auto packing =
          StringAttr::get(op.getContext(), stringifyPacking(op.getPacking()));
      for (Operation *user : op->getUsers())
        cast<nn::MatmulOp>(user).setPackedAttr(packing);
      op.getResult().replaceAllUsesWith(op.getBytes());
      op.erase();
    });
  }
};
} // namespace
