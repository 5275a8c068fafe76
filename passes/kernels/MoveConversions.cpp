//===- MoveConversions.cpp - Views of 16 bits, not of f32 -----------------===//

#include "passes/kernels/MoveConversions.h"

#include "passes/kernels/Clusters.h"

#include "dialect/nn/Precision.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace {

/// Gives the views of a widened value, and views of these, the 16 bits.
void widenBehindViews(arith::ExtFOp widening) {
  if (!nn::isHalf(widening.getIn().getType()))
    return;
  SmallVector<arith::ExtFOp> open = {widening};
  while (!open.empty()) {
    arith::ExtFOp op = open.pop_back_val();
    const Type element = getElementTypeOrSelf(op.getIn().getType());
    for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
      if (!zero::isView(user))
        continue;
      Value result = user->getResult(0);
      auto wide = cast<RankedTensorType>(result.getType());
      user->setOperand(0, op.getIn());
      result.setType(wide.clone(element));
      OpBuilder b(op.getContext());
      b.setInsertionPointAfter(user);
      auto again = arith::ExtFOp::create(b, user->getLoc(), wide, result);
      result.replaceAllUsesExcept(again, again);
      open.push_back(again);
    }
    if (op.use_empty())
      op.erase();
  }
}

/// Rounds what reshapes and concatenations move, if nothing else reads their
/// f32.  A slice would round what it leaves out.
void roundBeforeViews(arith::TruncFOp rounding) {
  const Type element = getElementTypeOrSelf(rounding.getType());
  if (!nn::isHalf(element) || rounding.getRoundingmode())
    return;
  SmallVector<arith::TruncFOp> open = {rounding};
  while (!open.empty()) {
    arith::TruncFOp op = open.pop_back_val();
    Value moved = op.getIn();
    Operation *move = moved.getDefiningOp();
    const bool isConcat = isa_and_present<tensor::ConcatOp>(move),
               isReshape =
                   zero::isView(move) && !isa<tensor::ExtractSliceOp>(move);
    if (!moved.hasOneUse() || !(isConcat || isReshape))
      continue;
    OpBuilder b(move);
    for (OpOperand &operand : move->getOpOperands().take_front(
             isConcat ? move->getNumOperands() : 1)) {
      auto wide = cast<RankedTensorType>(operand.get().getType());
      auto before = arith::TruncFOp::create(b, op.getLoc(), wide.clone(element),
                                            operand.get());
      operand.set(before);
      open.push_back(before);
    }
    moved.setType(op.getType());
    op.replaceAllUsesWith(moved);
    op.erase();
  }
}

} // namespace

void zero::moveConversions(ModuleOp module) {
  SmallVector<arith::ExtFOp> widenings;
  SmallVector<arith::TruncFOp> roundings;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<linalg::LinalgOp>(op) || (op != module && isa<ModuleOp>(op)))
      return WalkResult::skip();
    auto type = op->getNumResults() == 1 ? op->getResult(0).getType() : Type();
    if (!isa_and_present<RankedTensorType>(type))
      return WalkResult::advance();
    if (auto widening = dyn_cast<arith::ExtFOp>(op))
      widenings.push_back(widening);
    else if (auto rounding = dyn_cast<arith::TruncFOp>(op))
      roundings.push_back(rounding);
    return WalkResult::advance();
  });
  llvm::for_each(roundings, roundBeforeViews);
  llvm::for_each(widenings, widenBehindViews);
}
