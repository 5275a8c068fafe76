//===- Storage.cpp - Values that share bytes ------------------------------===//

#include "dialect/zero/Storage.h"

#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::zero;

/// Upstream's operations that only name bytes.
bool zero::isReshape(Operation *op) {
  return isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op);
}

SmallVector<StorageTie> zero::getStorageTies(Operation *op,
                                             SymbolTableCollection &symbols) {
  if (isReshape(op))
    return {{StorageTie::ResultInOperand, 0, 0}};
  auto plan = dyn_cast<PlanOpInterface>(op);
  return plan ? plan.getStorageTies(symbols) : SmallVector<StorageTie>();
}

BytesAttr zero::bytesOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return cast<ProgramOp>(argument.getOwner()->getParentOp())
        .getArgumentBytes(argument.getArgNumber());
  auto result = cast<OpResult>(value);
  auto ranges = result.getOwner()->getAttrOfType<ArrayAttr>(kBytesAttr);
  unsigned i = result.getResultNumber();
  return ranges && i < ranges.size() ? dyn_cast<BytesAttr>(ranges[i])
                                     : BytesAttr();
}

bool zero::isCollective(Operation *op) {
  return isa<CollectiveOpInterface>(op);
}

bool zero::crossesTiers(Operation *op) {
  auto plan = dyn_cast<PlanOpInterface>(op);
  return plan && plan.crossesTiers();
}

bool zero::bringsState(Operation *op) {
  auto plan = dyn_cast<PlanOpInterface>(op);
  return plan && plan.bringsState();
}

bool zero::changesFormat(Operation *op) {
  auto plan = dyn_cast<PlanOpInterface>(op);
  return plan && plan.changesFormat();
}

bool zero::isEvent(Operation *op) { return isa<RecordOp, WaitOp>(op); }

FlatSymbolRefAttr zero::getBucketRef(Operation *op) {
  auto plan = dyn_cast<PlanOpInterface>(op);
  return plan ? plan.getBucketRef() : FlatSymbolRefAttr();
}

/// Calls `visit` for `users`, and for the users of those that only name bytes.
static void visitReaders(ArrayRef<Operation *> users,
                         function_ref<void(Operation *)> visit) {
  for (Operation *user : users)
    if (renames(user))
      visitReaders(llvm::to_vector(user->getUsers()), visit);
    else
      visit(user);
}

Operation *zero::findFirstReader(ArrayRef<Operation *> users) {
  Operation *first = nullptr;
  visitReaders(users, [&](Operation *reader) {
    if (!first || reader->isBeforeInBlock(first))
      first = reader;
  });
  return first;
}

Operation *zero::findLastReader(ArrayRef<Operation *> users) {
  Operation *last = nullptr;
  visitReaders(users, [&](Operation *reader) {
    if (!last || last->isBeforeInBlock(reader))
      last = reader;
  });
  return last;
}

bool zero::movesNothing(Operation *op) {
  auto plan = dyn_cast<PlanOpInterface>(op);
  return plan ? plan.movesNothing() : isReshape(op) || isa<ReturnOp>(op);
}

bool zero::renames(Operation *op) {
  return movesNothing(op) && op->getNumOperands() > 0 &&
         op->getNumResults() == 1;
}

bool zero::renamesParameter(Operation *op) {
  return renames(op) && !isa<FlattenOp>(op);
}
