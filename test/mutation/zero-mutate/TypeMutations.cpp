//===- TypeMutations.cpp - Other types, tiers and transfers ---------------===//
//
// Half of them change the type of a value and of everything tied to it, with
// byte ranges of the new size.  A runtime that guesses from the number of bytes
// would not notice: on two ranks a whole bucket of bf16 has as many bytes as a
// slice of f32, and in two groups a part of bf16 has as many as a slice of f32.
//
//===----------------------------------------------------------------------===//

#include "Places.h"
#include "dialect/zero/PlanPrograms.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::zero;

/// Changes the types of `value` and all that is tied to it by `change`, each
/// with a range of the new size at the old offset on the new tier; nothing if
/// one cannot have it.
static Change retype(Victim &victim, Value value, const Twine &how,
                     llvm::function_ref<Type(Type)> change) {
  std::string text = (describe(value) + how).str();
  SmallVector<Value> family = familyOf(victim, value);
  if (!llvm::all_of(family, [&](Value one) { return change(one.getType()); }))
    return {};
  for (Value one : family) {
    Type type = change(one.getType());
    BytesAttr bytes = getBytes(one);
    one.setType(type);
    setBytes(one, BytesAttr::get(bytes.getContext(), getTier(type),
                                 bytes.getOffset(), getByteSize(type)));
  }
  for (ProgramOp program : victim.programs)
    program.setType(FunctionType::get(
        program.getContext(), program.front().getArgumentTypes(),
        program.front().getTerminator()->getOperandTypes()));
  return text;
}

/// `shard` with other elements, on another tier.
static Type withElements(ShardType shard, Type element, Tier tier) {
  return ShardType::get(shard.getContext(), shard.getElements(), element,
                        shard.getRanks(), shard.getOf(), tier);
}

/// Draws a value of a bucket, which has a flat type.
static Value pickFlat(Victim &victim) {
  return pickValue(victim,
                   [](Value value) { return isa<ShardType>(value.getType()); });
}

Change zero::changeElements(Victim &victim) {
  Value value = pickValue(victim);
  if (!value)
    return {};
  Builder b(victim.module.getContext());
  Type element = victim.random.pick(
      ArrayRef<Type>{b.getF64Type(), b.getF32Type(), b.getBF16Type(),
                     b.getF16Type(), b.getI32Type(), b.getI64Type()});
  return retype(victim, value,
                ": of other elements, " + textOf(TypeAttr::get(element)),
                [&](Type type) -> Type {
                  if (auto shard = dyn_cast<ShardType>(type))
                    return withElements(shard, element, shard.getTier());
                  if (auto stored = dyn_cast<StoredType>(type))
                    return StoredType::get(type.getContext(),
                                           stored.getTensor().clone(element),
                                           stored.getTier());
                  return cast<RankedTensorType>(type).clone(element);
                });
}

Change zero::changeExtent(Victim &victim) {
  Value value = pickFlat(victim);
  int64_t ranks = getNumRanks(victim.module);
  if (!value || ranks == 1)
    return {};
  // The number of shards, and of the ranks that have one of these parts.
  struct Cut {
    int64_t by, of;
    StringRef text;
  };
  SmallVector<Cut> cuts = {{1, 0, ": the whole"}, {ranks, 0, ": a slice"}};
  if (int64_t group = getGroupSize(victim.module))
    cuts.push_back({group, ranks, ": a part"});
  auto mine = cast<ShardType>(value.getType());
  llvm::erase_if(cuts, [&](const Cut &cut) {
    return cut.by == mine.getRanks() && cut.of == mine.getOf();
  });
  Cut cut = victim.random.pick(cuts);
  return retype(victim, value, cut.text + " in place of another portion",
                [&](Type type) -> Type {
                  auto shard = dyn_cast<ShardType>(type);
                  return shard ? ShardType::get(shard.getContext(),
                                                shard.getElements(),
                                                shard.getElementType(), cut.by,
                                                cut.of, shard.getTier())
                               : Type();
                });
}

Change zero::changeTypeTier(Victim &victim) {
  Value value = pickFlat(victim);
  if (!value)
    return {};
  Tier tier = victim.random.once(2) ? Tier::Host : Tier::Nvme;
  SmallVector<int64_t> arena = arenaOf(victim.module);
  arena[static_cast<unsigned>(tier)] = arena[0];
  setArena(victim.module, arena);
  return retype(victim, value,
                ": kept on " + stringifyTier(tier) + " by its type",
                [&](Type type) {
                  auto shard = dyn_cast<ShardType>(type);
                  return shard ? Type(shard.inTier(tier)) : Type();
                });
}

//===----------------------------------------------------------------------===//
// Transfers between tiers
//===----------------------------------------------------------------------===//

static bool isTransfer(Operation *op) { return isa<FetchOp, SpillOp>(op); }

static Change exchangeOperand(Victim &victim, unsigned number, StringRef text) {
  return exchangeOfTwo<Operation *>(
      victim, operationsOf(victim, isTransfer),
      [&](Operation *op) {
        return op->getNumOperands() > number ? &op->getOpOperand(number)
                                             : nullptr;
      },
      text);
}

Change zero::exchangeTransfers(Victim &victim) {
  return exchangeOperand(victim, 0, "each moves what the other should");
}

Change zero::exchangeTargets(Victim &victim) {
  return exchangeOperand(victim, 1, "each goes where the other should");
}

Change zero::moveOtherValue(Victim &victim) {
  Operation *op = pick(victim, isTransfer);
  if (!op)
    return {};
  return replaceOperand(op->getOpOperand(0),
                        definedBefore(op, op->getOperand(0).getType()),
                        victim.random);
}
