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

/// Spills `tensor` from the device to `tier`, through the host.
static Value spill(OpBuilder &b, Value tensor, Tier tier) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Value value = tensor;
  for (Tier next : {Tier::Host, Tier::Nvme})
    if (next <= tier)
      value = SpillOp::create(b, tensor.getLoc(),
                              StoredType::get(b.getContext(), type, next),
                              value, FlatSymbolRefAttr(), Value());
  return value;
}

/// Fetches `stored`, a result of spill(), back to the device.
static Value fetch(OpBuilder &b, Value stored) {
  auto type = cast<StoredType>(stored.getType());
  Value value = stored;
  if (type.getTier() == Tier::Nvme)
    value = FetchOp::create(
        b, stored.getLoc(),
        StoredType::get(b.getContext(), type.getTensor(), Tier::Host), value,
        FlatSymbolRefAttr(), Value());
  return FetchOp::create(b, stored.getLoc(), type.getTensor(), value,
                         FlatSymbolRefAttr(), Value());
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
    Value stored = spill(b, one.value, tier);
    b.setInsertionPoint(first);
    Value back = fetch(b, stored);
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
    if (tier != "cpu" && tier != "nvme") {
      module.emitError("tier=") << tier << " is no place; use cpu or nvme";
      return signalPassFailure();
    }
    func::FuncOp step = findStep(module);
    if (!step)
      return signalPassFailure();
    ForwardBlocks forward(step);
    unsigned count = 0;
    for (unsigned block = 0; block + 1 < forward.size(); ++block)
      count += stash(forward, block, tier == "cpu" ? Tier::Host : Tier::Nvme);
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
