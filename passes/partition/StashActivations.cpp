//===- StashActivations.cpp - Keeps activations in another tier -----------===//
//
// For each block except the last, whose backward follows directly:
//
//   1. The values of the block that the backward reads are spilled where they
//      are computed.
//   2. They are fetched before the first operation that reads any of them, so
//      that the activations of a block come together, and MoveTransfers moves
//      them ahead together.
//   3. The backward reads the fetched values.
//
// Scalars stay on the device: moving one costs more than keeping it.
//
//===----------------------------------------------------------------------===//

#include "passes/model/ModelFunction.h"
#include "passes/partition/ForwardBlocks.h"
#include "passes/partition/Passes.h"

#include "dialect/zero/Zero.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "zero-stash-activations"

namespace mlir::zero {
#define GEN_PASS_DEF_STASHACTIVATIONS
#include "passes/partition/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

/// Moves `value` to `tier`, link by link.
static Value moveTo(OpBuilder &b, Value value, Tier tier) {
  RankedTensorType tensor = getHeldTensor(value.getType());
  while (getTier(value.getType()) != tier) {
    int from = static_cast<int>(getTier(value.getType()));
    bool isUp = from > static_cast<int>(tier);
    auto next = static_cast<Tier>(isUp ? from - 1 : from + 1);
    Type type = tensor;
    if (next != Tier::Device)
      type = StoredType::get(b.getContext(), tensor, next);
    value = isUp ? FetchOp::create(b, value.getLoc(), type, value,
                                   FlatSymbolRefAttr(), Value())
                       .getResult()
                 : SpillOp::create(b, value.getLoc(), type, value,
                                   FlatSymbolRefAttr(), Value())
                       .getResult();
  }
  return value;
}

/// Moves values of `block` to `tier` until the backward; returns their number.
static unsigned stash(const ForwardBlocks &forward, unsigned block, Tier tier) {
  SmallVector<LateValue> late = forward.getLateValues(block);
  llvm::erase_if(late, [](const LateValue &one) {
    auto type = dyn_cast<RankedTensorType>(one.value.getType());
    return !type || type.getRank() == 0;
  });
  if (late.empty())
    return 0;
  Operation *first = getFirstUser(late);
  OpBuilder b(first);
  for (const LateValue &one : late) {
    b.setInsertionPointAfterValue(one.value);
    Value stored = moveTo(b, one.value, tier);
    b.setInsertionPoint(first);
    Value back = moveTo(b, stored, Tier::Device);
    for (OpOperand *use : one.uses)
      use->set(reshapeAgain(b, use->get(), one.value, back));
  }
  LDBG() << "block " << block << ": " << late.size() << " values wait";
  return late.size();
}

namespace {

struct StashActivationsPass
    : zero::impl::StashActivationsBase<StashActivationsPass> {
  using StashActivationsBase::StashActivationsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (tier == Offload::None) {
      module.emitError("tier=none is no place; use cpu or nvme");
      return signalPassFailure();
    }
    func::FuncOp step = findStep(module);
    if (!step)
      return signalPassFailure();
    ForwardBlocks forward(step);
    unsigned count = 0;
    for (unsigned block = 0; block + 1 < forward.size(); ++block)
      count +=
          stash(forward, block, tier == Offload::Cpu ? Tier::Host : Tier::Nvme);
    if (count == 0) {
      step.emitError("has no activations to offload: of ")
          << forward.size() << " blocks of parameters the last one's stay, and "
          << "the backward reads nothing of the others; drop "
          << "offload-activations, or name more blocks by zero.block";
      return signalPassFailure();
    }
  }
};

} // namespace
