//===- TypeMutations.cpp - Other types, tiers and transfers ---------------===//
//
// Half of them change the type of a value and of everything tied to it, with byte ranges of
// the new size.  A runtime that guesses from the number of bytes would not
// notice: on two ranks a whole bucket of bf16 has as many bytes as a slice of
// f32.
//
//===----------------------------------------------------------------------===//

#include "Places.h"
#include "dialect/zero/PlanPrograms.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::zero;

/// Changes the type of each value of `family` by `change`, with a range of the
/// new size at the old offset on the new tier; false if one cannot have it.
static bool retype(Victim &victim, ArrayRef<Value> family,
                   llvm::function_ref<Type(Type)> change) {
  for (Value value : family)
    if (!change(value.getType()))
      return false;
  for (Value value : family) {
    Type type = change(value.getType());
    BytesAttr bytes = getBytes(value);
    value.setType(type);
    setBytes(value, BytesAttr::get(bytes.getContext(), getTier(type),
                                   bytes.getOffset(), getByteSize(type)));
  }
  for (ProgramOp program : victim.programs)
    program.setType(FunctionType::get(
        program.getContext(), program.front().getArgumentTypes(),
        program.front().getTerminator()->getOperandTypes()));
  return true;
}

/// Picks a value of a bucket, which has a flat type.
static Value pickFlat(Victim &victim) {
  SmallVector<Value> flat;
  for (Value value : valuesOf(victim))
    if (isa<ShardType>(value.getType()))
      flat.push_back(value);
  return flat.empty() ? Value() : victim.random.pick(flat);
}

Change zero::changeElements(Victim &victim) {
  SmallVector<Value> values = valuesOf(victim);
  if (values.empty())
    return {};
  Value value = victim.random.pick(values);
  Builder b(victim.module.getContext());
  Type element = victim.random.pick(
      ArrayRef<Type>{b.getF64Type(), b.getF32Type(), b.getBF16Type(),
                     b.getF16Type(), b.getI32Type(), b.getI64Type()});
  std::string text = describe(value) + ": of other elements, " +
                     textOf(TypeAttr::get(element));
  bool changed =
      retype(victim, familyOf(victim, value), [&](Type type) -> Type {
        if (auto shard = dyn_cast<ShardType>(type))
          return ShardType::get(b.getContext(), shard.getElements(), element,
                                shard.getRanks(), shard.getTier());
        return cast<RankedTensorType>(type).clone(element);
      });
  return changed ? Change(text) : Change();
}

Change zero::changeExtent(Victim &victim) {
  Value value = pickFlat(victim);
  if (!value)
    return {};
  int64_t ranks = getNumRanks(victim.module);
  bool toSlice = cast<ShardType>(value.getType()).getRanks() == 1;
  if (ranks == 1)
    return {};
  std::string text = describe(value) + (toSlice ? ": a slice, not the whole"
                                                : ": the whole, not a slice");
  bool changed =
      retype(victim, familyOf(victim, value), [&](Type type) -> Type {
        auto shard = dyn_cast<ShardType>(type);
        return shard ? ShardType::get(type.getContext(), shard.getElements(),
                                      shard.getElementType(),
                                      toSlice ? ranks : 1, shard.getTier())
                     : Type();
      });
  return changed ? Change(text) : Change();
}

Change zero::changeTypeTier(Victim &victim) {
  Value value = pickFlat(victim);
  if (!value)
    return {};
  Tier tier = victim.random.once(2) ? Tier::Host : Tier::Nvme;
  SmallVector<int64_t> arena = arenaOf(victim.module);
  arena[static_cast<unsigned>(tier)] = arena[0];
  setArena(victim.module, arena);
  std::string text = describe(value) + ": kept on " +
                     stringifyTier(tier).str() + " by its type";
  bool changed =
      retype(victim, familyOf(victim, value), [&](Type type) -> Type {
        auto shard = dyn_cast<ShardType>(type);
        return shard ? ShardType::get(type.getContext(), shard.getElements(),
                                      shard.getElementType(), shard.getRanks(),
                                      tier)
                     : Type();
      });
  return changed ? Change(text) : Change();
}

//===----------------------------------------------------------------------===//
// Transfers between tiers
//===----------------------------------------------------------------------===//

static bool isTransfer(Operation *op) { return isa<FetchOp, SpillOp>(op); }

/// Exchanges operand `number` of two transfers of one program, if these are
/// different values of one type.
static Change exchangeOperandOfTwo(Victim &victim, unsigned number,
                                   StringRef text) {
  auto pairs = pairsOf<Operation *>(
      operationsOf(victim, isTransfer), [&](Operation *one, Operation *other) {
        return one->getNumOperands() > number &&
               other->getNumOperands() > number &&
               one->getOperand(number) != other->getOperand(number) &&
               one->getOperand(number).getType() ==
                   other->getOperand(number).getType();
      });
  if (pairs.empty())
    return {};
  auto [one, other] = victim.random.pick(pairs);
  std::string which = describe(one) + " and " + describe(other);
  // A value that is defined between the two cannot be used by the first.
  Operation *made = other->getOperand(number).getDefiningOp();
  if (made && !made->isBeforeInBlock(one))
    return {};
  exchange(one->getOpOperand(number), other->getOpOperand(number));
  return which + ": " + text.str();
}

Change zero::exchangeTransfers(Victim &victim) {
  return exchangeOperandOfTwo(victim, 0, "each moves what the other should");
}

Change zero::exchangeTargets(Victim &victim) {
  return exchangeOperandOfTwo(victim, 1, "each goes where the other should");
}

Change zero::moveOtherValue(Victim &victim) {
  Operation *op = pick(victim, isTransfer);
  if (!op)
    return {};
  return replaceOperand(op->getOpOperand(0),
                        definedBefore(op, op->getOperand(0).getType()),
                        victim.random);
}
