//===- FuseLoss.cpp - A loss and its gradient in one trip -----------------===//
//
// The loss needs exponentials of all logits for their sum, and its gradient
// needs them again, divided by that sum.  Both are done row by row, so a row
// that was read once stays in cache for all of it:
//
//   loss, lse = cross_entropy(l)            per row:
//   d = cross_entropy_backward(l, lse) =>     m = max l
//                                             e = exp(l - m)   (in the place
//                                             s = sum e         of d)
//                                             d = e / s - onehot ...
//                                           loss = mean(log s - l[target] + m)
//
// 1. Match a loss and its backward.
// 2. Move the operations that make the loss's adjoint before the loss.
// 3. Emit both in the loss's place.
//
// The pass leaves alone a loss whose adjoint depends on it, and all but the
// first of several losses of the same logits: their exponentials are one value,
// which two gradients cannot both replace.
//
//===----------------------------------------------------------------------===//

#include "passes/kernels/Passes.h"
#include "passes/model/ModelFunction.h"

#include "dialect/nn/CrossEntropy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "zero-fuse-loss"

namespace mlir::zero {
#define GEN_PASS_DEF_FUSELOSS
#include "passes/kernels/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;

namespace {

struct FuseLossPass : zero::impl::FuseLossBase<FuseLossPass> {
  void runOnOperation() override {
    SmallVector<nn::CrossEntropyOp> losses;
    zero::walkFunctions(getOperation(),
                        [&](nn::CrossEntropyOp op) { losses.push_back(op); });
    IRRewriter rewriter(&getContext());
    DenseSet<Value> fused;
    for (nn::CrossEntropyOp op : losses) {
      Value logits = op.getLogits();
      if (!fused.contains(logits) && fuse(rewriter, op))
        fused.insert(logits);
    }
  }

  bool fuse(IRRewriter &rewriter, nn::CrossEntropyOp op) {
    nn::CrossEntropyBackwardOp backward = op.getBackward();
    if (!backward || backward->getBlock() != op->getBlock() ||
        failed(moveValueDefinitions(rewriter, {backward.getGrad()}, op)))
      return false;
    LDBG() << "fuses " << op << " with " << backward;
    rewriter.setInsertionPoint(op);
    nn::LossAndGradient made = nn::emitLossAndGradient(rewriter, op, backward);
    // Rounds the gradient where it is made, so that its f32 is never stored.
    if (Value gradient = backward.getDlogits(); gradient.hasOneUse())
      if (auto rounded = dyn_cast<arith::TruncFOp>(*gradient.user_begin()))
        rewriter.moveOpAfter(rounded, made.gradient.getDefiningOp());
    rewriter.replaceOp(backward, made.gradient);
    rewriter.replaceAllUsesWith(op.getLoss(), made.loss);
    rewriter.eraseOp(op);
    return true;
  }
};

} // namespace
