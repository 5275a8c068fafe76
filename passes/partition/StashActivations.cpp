//===- StashActivations.cpp - Activations wait in another tier ------------===//
//
// For each block but the last, whose backward follows at once:
//
//   1. What the backward reads of it is spilled where it is computed.
//   2. It is fetched before the first operation that reads any of it; so the
//      activations of a block come together, and MoveTransfers moves them ahead
//      together.
//   3. The backward reads what was fetched.
//
// Tensors that are larger than a scalar: a scalar costs more on its way than in
// its place.
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

/// `tensor` from the device to `tier`, by way of the host.
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

/// What `spill` made, back on the device.
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

/// The number of values of `block` that wait in `tier`.
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
