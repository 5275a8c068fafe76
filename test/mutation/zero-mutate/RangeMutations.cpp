//===- RangeMutations.cpp - Break byte ranges -----------------------------===//
//
// The constraints of its operation catch any change to a single range.
// Therefore half of these mutations move the whole family of values that share
// their bytes: the layout is then consistent, and only other values in those
// bytes conflict.
//
//===----------------------------------------------------------------------===//

#include "Places.h"

using namespace mlir;
using namespace mlir::zero;

/// Draws a value of at least a byte that `filter` accepts; null if there is
/// none.
static Value pickSized(
    Victim &victim,
    function_ref<bool(Value)> filter = [](Value) { return true; }) {
  return pickValue(victim, [&](Value value) {
    return getBytes(value).getSize() > 0 && filter(value);
  });
}

/// Draws the distance to move `value`: a step, or onto another value.
static int64_t drawDelta(Victim &victim, Value value) {
  Random &random = victim.random;
  int64_t sign = random.once(2) ? -1 : 1;
  switch (random.below(5)) {
  case 0:
    return sign * 4;
  case 1:
    return sign * 64;
  case 2:
    return sign * 4 * random.between(2, 64);
  case 3:
    return sign * 64 * random.between(2, 64);
  default:
    BytesAttr other = getBytes(pickSized(victim));
    int64_t target = random.once(2) ? other.getOffset() : other.getEnd();
    return target - getBytes(value).getOffset();
  }
}

/// Moves all of `values`, or none if one cannot move.
static bool moveAll(ArrayRef<Value> values, int64_t delta) {
  for (Value value : values)
    if (!moved(getBytes(value), delta))
      return false;
  for (Value value : values)
    setBytes(value, moved(getBytes(value), delta));
  return true;
}

/// Moves `value` and the rest of `family`.
static Change shift(Value value, ArrayRef<Value> family, int64_t delta) {
  std::string text = describe(value) + " at " + textOf(getBytes(value)) +
                     ": moved by " + std::to_string(delta) + " bytes";
  if (family.size() > 1)
    text +=
        ", with " + std::to_string(family.size() - 1) + " values tied to it";
  return delta != 0 && moveAll(family, delta) ? Change(text) : Change();
}

Change zero::shiftRange(Victim &victim) {
  Value value = pickSized(victim, llvm::IsaPred<OpResult>);
  if (!value)
    return {};
  int64_t delta = drawDelta(victim, value);
  SmallVector<Value> family = victim.random.once(2) ? familyOf(victim, value)
                                                    : SmallVector<Value>{value};
  return shift(value, family, delta);
}

Change zero::shiftArgument(Victim &victim) {
  Value value = pickSized(victim, llvm::IsaPred<BlockArgument>);
  if (!value)
    return {};
  int64_t delta = drawDelta(victim, value);
  SmallVector<Value> family;
  switch (victim.random.below(4)) {
  case 0:
    family = {value};
    break;
  case 1:
    family = argumentsLike(victim, value);
    break;
  default:
    family = familyOf(victim, value);
  }
  return shift(value, family, delta);
}

/// Resizes a value by `factor` times a few bytes, at one of its ends.
static Change resize(Victim &victim, int64_t factor) {
  Value value = pickSized(victim);
  if (!value)
    return {};
  BytesAttr bytes = getBytes(value);
  int64_t amounts[] = {4, 64, 4 * victim.random.between(2, 64),
                       (bytes.getSize() + 1) / 2};
  int64_t amount = factor * victim.random.pick(ArrayRef<int64_t>(amounts));
  bool atFront = victim.random.once(3);
  int64_t offset = bytes.getOffset() - (atFront ? amount : 0);
  int64_t size = bytes.getSize() + amount;
  if (offset < 0 || size < 0)
    return {};
  auto changed =
      BytesAttr::get(bytes.getContext(), bytes.getTier(), offset, size);
  SmallVector<Value> like = {value};
  if (isa<BlockArgument>(value))
    like = argumentsLike(victim, value);
  std::string text =
      describe(value) + ": " + textOf(bytes) + " becomes " + textOf(changed);
  for (Value one : like)
    setBytes(one, changed);
  return text;
}

Change zero::shrinkRange(Victim &victim) { return resize(victim, -1); }
Change zero::growRange(Victim &victim) { return resize(victim, 1); }

Change zero::swapRanges(Victim &victim) {
  Value a = pickSized(victim);
  if (!a)
    return {};
  BytesAttr mine = getBytes(a);
  Value b = pickSized(victim, [&](Value other) {
    BytesAttr theirs = getBytes(other);
    return programOf(other) == programOf(a) &&
           theirs.getSize() == mine.getSize() && theirs != mine;
  });
  if (!b)
    return {};
  BytesAttr theirs = getBytes(b);
  bool alone = victim.random.once(2);
  SmallVector<Value> first =
                         alone ? SmallVector<Value>{a} : familyOf(victim, a),
                     second =
                         alone ? SmallVector<Value>{b} : familyOf(victim, b);
  if (llvm::is_contained(first, b))
    return {};
  int64_t delta = theirs.getOffset() - mine.getOffset();
  std::string text = describe(a) + " at " + textOf(mine) + " and " +
                     describe(b) + " at " + textOf(theirs) + ": exchanged" +
                     (alone ? "" : ", with what is tied to them");
  if (!moveAll(first, delta) || !moveAll(second, -delta))
    return {};
  return text;
}

Change zero::changeTier(Victim &victim) {
  Value value = pickSized(victim);
  if (!value)
    return {};
  SmallVector<Value> family = familyOf(victim, value);
  Tier tier = victim.random.once(2) ? Tier::Host : Tier::Nvme;
  SmallVector<int64_t> arena = arenaOf(victim.module);
  bool room = victim.random.once(2);
  if (room)
    arena[int(tier)] = arena[0];
  setArena(victim.module, arena);
  for (Value one : family) {
    BytesAttr bytes = getBytes(one);
    setBytes(one, BytesAttr::get(bytes.getContext(), tier, bytes.getOffset(),
                                 bytes.getSize()));
  }
  return describe(value) + ": put on tier " + stringifyTier(tier).str() +
         " with what is tied to it" + (room ? ", which got an arena" : "");
}

Change zero::shrinkArena(Victim &victim) {
  SmallVector<int64_t> arena = arenaOf(victim.module);
  int64_t before = arena[0];
  int64_t amounts[] = {4, 64, 4096, 64 * victim.random.between(2, 256),
                       before / 2};
  arena[0] -= victim.random.pick(ArrayRef<int64_t>(amounts));
  if (arena[0] < 0)
    return {};
  setArena(victim.module, arena);
  return "zero.arena: " + std::to_string(before) + " becomes " +
         std::to_string(arena[0]);
}

Change zero::moveExported(Victim &victim) {
  auto exported = victim.module->getAttrOfType<IntegerAttr>(kExportedAttr);
  if (!exported)
    return {};
  int64_t before = exported.getInt();
  int64_t targets[] = {0,
                       arenaOf(victim.module)[0],
                       before + 64,
                       before - 64,
                       before + 4096 * victim.random.between(1, 4),
                       before - 4096 * victim.random.between(1, 4)};
  int64_t after = victim.random.pick(ArrayRef<int64_t>(targets));
  if (after < 0 || after == before)
    return {};
  victim.module->setAttr(kExportedAttr,
                         IntegerAttr::get(exported.getType(), after));
  return "zero.exported: " + std::to_string(before) + " becomes " +
         std::to_string(after);
}
