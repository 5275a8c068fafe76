//===- LayerMicroSteps.cpp - Repeats each block for all micro-steps -------===//
//
// 1. The operations of the step, in program order, are cut into stretches: a
//    new stretch begins at an operation that reads parameters of other buckets
//    than the last operation that read any.
// 2. Each stretch stands there for micro-step 0, then for micro-step 1, and so
//    on; then the next stretch follows.
//
//      reads of   b0  b0  b0,b1  b1            b0,b1  b0
//      stretches  '----'  '---'  '-- ... --'   '---'  '--
//
// So successive uses of one bucket stay together, and a bucket is gathered or
// fetched as often as with one micro-step.  Operations that depend on
// parameters and not on inputs are not repeated; those that depend on neither,
// such as a tensor of zeros, are repeated where they are needed.
//
//===----------------------------------------------------------------------===//

#include "passes/partition/LayerMicroSteps.h"

#include "dialect/zero/Storage.h"
#include "dialect/zero/Zero.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "passes/partition/ForwardBlocks.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "zero-layer-micro-steps"

using namespace mlir;
using namespace mlir::zero;

namespace {

class Layers {
public:
  Layers(func::FuncOp step, int64_t count,
         function_ref<SmallVector<unsigned>(unsigned)> bucketsOf)
      : step(step), block(step.getBody().front()), b(step.getContext()),
        maps(count), bucketsOf(bucketsOf) {}

  void run() {
    addInputs();
    cut();
    for (auto [i, stretch] : llvm::enumerate(stretches))
      repeat(stretch, i + 1 < stretches.size() ? stretches[i + 1].front()
                                               : block.getTerminator());
    LDBG() << maps.size() << " micro-steps in " << stretches.size()
           << " stretches";
    returnAll();
    for (Operation *op : llvm::reverse(free))
      if (op->use_empty())
        op->erase();
  }

private:
  func::FuncOp step;
  Block &block;
  OpBuilder b;
  /// By micro-step: maps values of the first one.
  SmallVector<IRMapping> maps;
  function_ref<SmallVector<unsigned>(unsigned)> bucketsOf;
  /// Values that depend on inputs, and values that depend only on other
  /// arguments.
  llvm::DenseSet<Value> own, shared;
  /// Copies of operations that depend on no argument.
  SmallVector<Operation *> free;
  std::vector<SmallVector<Operation *>> stretches;

  void addInputs() {
    unsigned arguments = step.getNumArguments();
    for (auto [j, map] : llvm::enumerate(maps))
      for (unsigned i = 0; i < arguments; ++i) {
        if (!step.getArgAttr(i, kInputAttr))
          continue;
        BlockArgument first = block.getArgument(i);
        own.insert(first);
        unsigned place = i;
        if (j > 0) {
          place = step.getNumArguments();
          (void)step.insertArgument(place, first.getType(),
                                    step.getArgAttrDict(i), first.getLoc());
          map.map(first, block.getArgument(place));
        }
        step.setArgAttr(place, kMicroAttr, b.getI64IntegerAttr(j));
      }
  }

  SmallVector<unsigned> getBuckets(Operation &op) {
    SmallVector<unsigned> buckets;
    if (!isReshape(&op))
      for (Value operand : op.getOperands())
        if (auto argument = dyn_cast<BlockArgument>(getReshaped(operand)))
          llvm::append_range(buckets, bucketsOf(argument.getArgNumber()));
    llvm::sort(buckets);
    buckets.erase(llvm::unique(buckets), buckets.end());
    return buckets;
  }

  void cut() {
    SmallVector<unsigned> last;
    for (Operation &op : block.without_terminator()) {
      SmallVector<unsigned> buckets = getBuckets(op);
      bool isOther = !buckets.empty() && !last.empty() && buckets != last;
      if (stretches.empty() || isOther)
        stretches.emplace_back();
      stretches.back().push_back(&op);
      if (!buckets.empty())
        last = std::move(buckets);
    }
  }

  /// An average belongs to one micro-step, whatever it depends on.
  bool isOwn(Operation *op) {
    return isa<AverageOp>(op) ||
           llvm::any_of(op->getOperands(),
                        [&](Value value) { return own.contains(value); });
  }
  bool isShared(Operation *op) {
    return llvm::any_of(op->getOperands(), [&](Value value) {
      return isa<BlockArgument>(value) || shared.contains(value);
    });
  }

  void repeat(ArrayRef<Operation *> stretch, Operation *next) {
    SmallVector<Operation *> repeated;
    for (Operation *op : stretch) {
      if (isOwn(op))
        own.insert_range(op->getResults());
      else if (isShared(op))
        shared.insert_range(op->getResults());
      if (!shared.contains(op->getResult(0)))
        repeated.push_back(op);
    }
    b.setInsertionPoint(next);
    for (auto [j, map] : llvm::enumerate(maps))
      for (Operation *op : repeated) {
        Operation *copy = j == 0 ? op : b.clone(*op, map);
        if (j > 0 && !own.contains(op->getResult(0)))
          free.push_back(copy);
        if (isa<AverageOp>(op))
          copy->setAttr(kMicroAttr, b.getI64IntegerAttr(j));
      }
  }

  void returnAll() {
    Operation *end = block.getTerminator();
    SmallVector<Value> all;
    for (Value value : end->getOperands())
      for (IRMapping &map : maps)
        all.push_back(map.lookupOrDefault(value));
    end->setOperands(all);
    step.removeResAttrsAttr();
    step.setFunctionType(b.getFunctionType(block.getArgumentTypes(),
                                           ValueRange(all).getTypes()));
  }
};

} // namespace

void zero::layerMicroSteps(
    func::FuncOp step, int64_t count,
    function_ref<SmallVector<unsigned>(unsigned)> bucketsOf) {
  Layers(step, count, bucketsOf).run();
}
