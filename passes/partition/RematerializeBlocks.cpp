//===- RematerializeBlocks.cpp - Recomputes activations in the backward ---===//
//
// For each block except the last, whose backward follows directly:
//
//   1. Values that the backward reads, but no other block of the forward, are
//      not kept.
//   2. The operations that compute them from kept values are cloned to where
//      the backward first reads any of them.
//   3. The backward reads the clones' results.
//
// Of a launch that begins a block by adding up values of the one before, the
// sum is kept, not the values (BlockInputs.h).
//
// Products and attention may be kept, in all blocks or in the last of them: the
// rest is a small part of the time.
//
//===----------------------------------------------------------------------===//

#include "passes/model/ModelFunction.h"
#include "passes/partition/BlockInputs.h"
#include "passes/partition/ForwardBlocks.h"
#include "passes/partition/Passes.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/Storage.h"
#include "dialect/zero/Work.h"
#include "dialect/zero/Zero.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "zero-rematerialize-blocks"

namespace mlir::zero {
#define GEN_PASS_DEF_REMATERIALIZEBLOCKS
#include "passes/partition/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

namespace {

/// Recomputes a block of a step.
class Rematerialization {
public:
  Rematerialization(const ForwardBlocks &forward, BlockInputs &inputs,
                    unsigned block, bool keepsMatmuls,
                    SymbolTableCollection &symbols)
      : forward(forward), inputs(inputs), block(block),
        keepsMatmuls(keepsMatmuls), symbols(symbols) {}

  /// Returns the number of operations that are computed again.
  unsigned run() {
    SmallVector<LateValue> late = forward.getLateValues(block);
    for (const LateValue &one : late)
      isLate.insert(one.value);
    llvm::erase_if(late,
                   [&](const LateValue &one) { return isKept(one.value); });
    if (late.empty())
      return 0;
    for (const LateValue &one : late)
      collect(one.value.getDefiningOp());
    OpBuilder b(getFirstUser(late));
    IRMapping clones;
    llvm::sort(again, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    for (Operation *op : again)
      if (inputs.find(op))
        inputs.cloneRest(b, op, clones);
      else
        b.clone(*op, clones);
    for (const LateValue &one : late)
      for (OpOperand *use : one.uses)
        use->set(
            reshapeAgain(b, use->get(), one.value, clones.lookup(one.value)));
    unsigned count =
        llvm::count_if(again, [](Operation *op) { return !isReshape(op); });
    LDBG() << "block " << block << ": " << count << " operations again";
    return count;
  }

private:
  const ForwardBlocks &forward;
  BlockInputs &inputs;
  unsigned block;
  bool keepsMatmuls;
  SymbolTableCollection &symbols;
  SmallVector<Operation *> again;
  llvm::DenseSet<Operation *> known;
  llvm::DenseSet<Value> isLate;

  /// Returns true if `value`, which is no reshape, is kept for the backward.
  bool isKept(Value value) const {
    Operation *op = value.getDefiningOp();
    return !op || !forward.isForward(op) || forward.getBlock(op) != block ||
           !(isa<LaunchOp, AllToAllOp>(op) || nn::isPlanMatmul(op)) ||
           (forward.isBetween(op) && !inputs.find(op)) ||
           inputs.leavesBlock(value) || inputs.isKept(value) ||
           (keepsMatmuls && (hasOwnRoutine(op) || needsAsMuch(value)));
  }

  /// The operands of which the results of `op` are computed again.
  SmallVector<Value> getSources(Operation *op) const {
    const BlockInput *input = inputs.find(op);
    if (!input)
      return llvm::to_vector(op->getOperands());
    return llvm::map_to_vector(input->rest, [&](unsigned argument) {
      return op->getOperand(argument);
    });
  }

  /// Whether `op` is a product, or launches an operation with a routine of its
  /// own.
  bool hasOwnRoutine(Operation *op) const {
    auto plan = dyn_cast<PlanOpInterface>(op);
    return plan && getWorkKind(plan, symbols) != "kernel";
  }

  /// Whether as many bytes of products would be kept for computing `value`
  /// again as it has.
  bool needsAsMuch(Value value) const {
    int64_t bytes = 0;
    for (Value operand : getSources(value.getDefiningOp())) {
      Value source = getReshaped(operand);
      Operation *op = source.getDefiningOp();
      if (op && forward.isForward(op) && forward.getBlock(op) == block &&
          hasOwnRoutine(op) && !isLate.contains(source) &&
          !inputs.leavesBlock(source))
        bytes += getByteSize(source.getType());
    }
    return bytes >= getByteSize(value.getType());
  }

  /// Collects `op` and the operations for its operands that are not kept.
  void collect(Operation *op) {
    if (!known.insert(op).second)
      return;
    again.push_back(op);
    for (Value operand : getSources(op)) {
      if (isKept(getReshaped(operand)))
        continue;
      for (Value value = operand; value != getReshaped(operand);
           value = value.getDefiningOp()->getOperand(0))
        if (known.insert(value.getDefiningOp()).second)
          again.push_back(value.getDefiningOp());
      collect(getReshaped(operand).getDefiningOp());
    }
  }
};

struct RematerializeBlocksPass
    : zero::impl::RematerializeBlocksBase<RematerializeBlocksPass> {
  using RematerializeBlocksBase::RematerializeBlocksBase;

  void runOnOperation() override {
    func::FuncOp step = findStep(getOperation());
    if (!step || what == Remat::None)
      return signalPassFailure();
    ForwardBlocks forward(step);
    SymbolTableCollection symbols;
    BlockInputs inputs(step, forward, symbols);
    unsigned count = 0;
    for (unsigned block = 0; block + 1 < forward.size(); ++block) {
      bool keepsMatmuls =
          what == Remat::Kernels || block >= ratio * double(forward.size() - 1);
      count += Rematerialization(forward, inputs, block, keepsMatmuls, symbols)
                   .run();
    }
    if (count == 0) {
      step.emitError("has nothing that remat=")
          << stringify(what) << " could compute again: of " << forward.size()
          << " blocks of parameters the last one is kept, and "
          << "the backward reads of others only what goes from block to block; "
          << "drop it, or name more blocks by zero.block";
      return signalPassFailure();
    }
  }
};

} // namespace
