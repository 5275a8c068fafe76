//===- GroupMutations.cpp - Break collectives of ranks in groups ------------===//
//
// Where ranks are in groups, a collective of all of them has two levels.  These
// mutations leave out a level, repeat or exchange it, or let it be between
// other ranks.
//
//===----------------------------------------------------------------------===//

#include "Places.h"

#include "dialect/zero/PlanPrograms.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::zero;

/// The ranks that `op` collectives with; none if it is no collective of a bucket,
/// or between all ranks.
static std::optional<Over> overOf(Operation *op) {
  auto exchange = dyn_cast<CollectiveOpInterface>(op);
  return exchange ? exchange.getRanksOver() : std::nullopt;
}

static bool hasLevel(Operation *op) { return overOf(op).has_value(); }

static void setOver(Operation *op, Over over) {
  op->setAttr("over", OverAttr::get(op->getContext(), over));
}

/// A collective and the one of the other level that takes its result.
using Levels = std::pair<Operation *, Operation *>;

static Levels pickLevels(Victim &victim) {
  SmallVector<Levels> found;
  for (Operation *op : operationsOf(victim, hasLevel))
    if (Operation *before = op->getOperand(0).getDefiningOp())
      if (before->getName() == op->getName() && hasLevel(before) &&
          overOf(before) != overOf(op))
        found.push_back({before, op});
  return victim.random.pick(found);
}

Change zero::changeOver(Victim &victim) {
  Operation *op = pick(victim, hasLevel);
  if (!op)
    return {};
  std::string text = describe(op);
  if (victim.random.once(4)) {
    op->removeAttr("over");
    return text + ": between all ranks";
  }
  Over other = overOf(op) == Over::Groups ? Over::Members : Over::Groups;
  setOver(op, other);
  return text + ": over " + stringifyOver(other).str();
}

Change zero::exchangeLevels(Victim &victim) {
  auto [first, second] = pickLevels(victim);
  if (!first)
    return {};
  std::string text = describe(first) + " and " + describe(second) +
                     ": over the ranks of the other";
  Over over = *overOf(first);
  setOver(first, *overOf(second));
  setOver(second, over);
  if (auto scale = first->getAttr("scale"); scale && victim.random.once(2)) {
    first->setAttr("scale", second->getAttr("scale"));
    second->setAttr("scale", scale);
    text += ", with its scale";
  }
  return text;
}

Change zero::exchangeScales(Victim &victim) {
  auto [first, second] = pickLevels(victim);
  auto scale = first ? first->getAttrOfType<FloatAttr>("scale") : FloatAttr();
  if (!scale)
    return {};
  auto other = second->getAttrOfType<FloatAttr>("scale");
  std::string text = describe(first) + " and " + describe(second);
  if (victim.random.once(2)) {
    first->setAttr("scale", other);
    second->setAttr("scale", scale);
    return text + ": scales exchanged";
  }
  // The product of both stays the same.
  double product = scale.getValueAsDouble() * other.getValueAsDouble(),
         part = victim.random.pick(ArrayRef<double>{1, product, 0.5, 1. / 3});
  first->setAttr("scale", FloatAttr::get(scale.getType(), part));
  second->setAttr("scale", FloatAttr::get(scale.getType(), product / part));
  return text + ": scale by " + textOf(first->getAttr("scale")) + " and " +
         textOf(second->getAttr("scale"));
}

Change zero::dropLevel(Victim &victim) {
  if (victim.random.once(2)) {
    auto [first, second] = pickLevels(victim);
    if (!first)
      return {};
    std::string text = describe(first) + ": left out";
    second->setOperand(0, first->getOperand(0));
    if (first->use_empty())
      first->erase();
    return text;
  }
  SmallVector<OpOperand *> places;
  for (Operation *op : operationsOf(victim, hasLevel))
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get().getType() == op->getResult(0).getType())
        places.push_back(&operand);
  OpOperand *operand = victim.random.pick(places);
  if (!operand)
    return {};
  Operation *op = operand->getOwner();
  std::string text = describe(op) + ": left out, its users take operand " +
                     std::to_string(operand->getOperandNumber());
  op->getResult(0).replaceAllUsesWith(operand->get());
  op->erase();
  return text;
}

Change zero::doubleLevel(Victim &victim) {
  Operation *op = pick(victim, hasLevel);
  if (!op)
    return {};
  // In place before it, which suits all types.
  OpBuilder b(op);
  Value source = op->getOperand(0);
  Operation *again = nullptr;
  if (auto reduce = dyn_cast<ReduceScatterOp>(op)) {
    again = b.clone(*op);
    cast<ReduceScatterOp>(again).getIntoMutable().clear();
    if (victim.random.once(2))
      again->setAttr("scale", b.getF64FloatAttr(1));
  } else {
    again = b.clone(*op);
  }
  again->getResult(0).setType(source.getType());
  op->setOperand(0, again->getResult(0));
  return describe(op) + ": done twice";
}

Change zero::changeGroup(Victim &victim) {
  for (auto axis : victim.module.getOps<AxisOp>()) {
    int64_t size = axis.getSize(), group = axis.getGroupSize();
    SmallVector<int64_t> others;
    for (int64_t other = 2; other <= size; ++other)
      if (size % other == 0 && other != group)
        others.push_back(other);
    if (others.empty())
      return {};
    int64_t other = victim.random.pick(others);
    std::string text = "@" + axis.getSymName().str() + ": groups of " +
                       std::to_string(other) + " ranks";
    Builder b(axis.getContext());
    axis.setGroupAttr(other < size ? b.getI64IntegerAttr(other)
                                   : IntegerAttr());
    if (victim.random.once(3))
      return text;
    // What says how many ranks a group has says the new number.
    auto withGroup = [&](Type type) -> Type {
      auto shard = dyn_cast<ShardType>(type);
      if (!shard || !shard.isPart())
        return type;
      return ShardType::get(shard.getContext(), shard.getElements(),
                            shard.getElementType(), other,
                            other < size ? size : 0, shard.getTier());
    };
    for (ProgramOp program : victim.programs) {
      SmallVector<Value> values(program.getArguments());
      for (Operation &op : program.front()) {
        llvm::append_range(values, op.getResults());
        if (other == size)
          op.removeAttr("over");
      }
      for (Value value : values) {
        Type type = withGroup(value.getType());
        if (type == value.getType())
          continue;
        value.setType(type);
        if (BytesAttr bytes = getBytes(value))
          setBytes(value, BytesAttr::get(bytes.getContext(), bytes.getTier(),
                                         bytes.getOffset(), getByteSize(type)));
      }
      program.setType(FunctionType::get(
          program.getContext(), program.front().getArgumentTypes(),
          program.front().getTerminator()->getOperandTypes()));
    }
    return text + ", with all types";
  }
  return {};
}
