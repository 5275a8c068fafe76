//===- ForwardBlocks.cpp - Values of the forward that the backward reads --===//

#include "passes/partition/ForwardBlocks.h"

#include "dialect/zero/Storage.h"
#include "mlir/IR/IRMapping.h"
#include "passes/partition/BucketLayout.h"

using namespace mlir;
using namespace mlir::zero;

Value zero::getReshaped(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isReshape(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

Value zero::reshapeAgain(OpBuilder &b, Value value, Value from, Value to) {
  if (value == from)
    return to;
  Operation *name = value.getDefiningOp();
  IRMapping map;
  map.map(name->getOperand(0), reshapeAgain(b, name->getOperand(0), from, to));
  return b.clone(*name, map)->getResult(0);
}

Operation *zero::getFirstUser(ArrayRef<LateValue> late) {
  Operation *first = late.front().uses.front()->getOwner();
  for (const LateValue &one : late)
    if (Operation *user = one.uses.front()->getOwner();
        user->isBeforeInBlock(first))
      first = user;
  return first;
}

ForwardBlocks::ForwardBlocks(func::FuncOp step) : step(step) {
  Operation *last = findLastOfForward();
  llvm::DenseSet<StringRef> known;
  for (Operation &op : step.getBody().front()) {
    if (!last || last->isBeforeInBlock(&op))
      break;
    llvm::DenseSet<StringRef> read;
    for (Value operand : op.getOperands())
      if (auto argument = dyn_cast<BlockArgument>(getReshaped(operand)))
        if (StringRef name = getBlockOfParameter(argument.getArgNumber());
            !name.empty())
          read.insert(name);
    bool isNew = false;
    for (StringRef name : read)
      isNew |= known.insert(name).second;
    if (isNew)
      ++count;
    // Operations before all parameters belong to the first block.
    blocks[&op] = count == 0 ? 0 : count - 1;
    if (read.size() > 1)
      between.insert(&op);
  }
}

/// The last operation that the loss, the first result, depends on; null if
/// there is none.
Operation *ForwardBlocks::findLastOfForward() const {
  // An operation comes after those that it depends on.
  return step.getBody().front().getTerminator()->getOperand(0).getDefiningOp();
}

/// The block of a parameter; "" for other arguments.
StringRef ForwardBlocks::getBlockOfParameter(unsigned argument) const {
  auto name = step.getArgAttrOfType<StringAttr>(argument, kParamAttr);
  if (!name)
    return "";
  auto block = step.getArgAttrOfType<StringAttr>(argument, kBlockAttr);
  return block ? block.getValue() : getBlockOfName(name.getValue());
}

/// Calls visit(use) for all reads of `value`, in any shape.
static void forEachUse(Value value, function_ref<void(OpOperand &)> visit) {
  for (OpOperand &use : value.getUses())
    if (isReshape(use.getOwner()))
      forEachUse(use.getOwner()->getResult(0), visit);
    else
      visit(use);
}

bool ForwardBlocks::leavesBlock(Value value, Operation *except) const {
  unsigned mine = getBlock(value.getDefiningOp());
  bool leaves = false;
  forEachUse(value, [&](OpOperand &use) {
    Operation *op = use.getOwner();
    leaves |= op != except && isForward(op) &&
              (getBlock(op) != mine || isBetween(op));
  });
  return leaves;
}

SmallVector<LateValue> ForwardBlocks::getLateValues(unsigned block) const {
  SmallVector<LateValue> late;
  for (Operation &op : step.getBody().front()) {
    if (!isForward(&op) || isReshape(&op) || getBlock(&op) != block)
      continue;
    for (Value value : op.getResults()) {
      LateValue one{value, {}};
      forEachUse(value, [&](OpOperand &use) {
        if (!isForward(use.getOwner()))
          one.uses.push_back(&use);
      });
      llvm::sort(one.uses, [](OpOperand *a, OpOperand *b) {
        return a->getOwner()->isBeforeInBlock(b->getOwner());
      });
      if (!one.uses.empty())
        late.push_back(std::move(one));
    }
  }
  return late;
}
