//===- Places.h - Finds places where a plan can be broken -----------------===//
#pragma once

#include "Mutations.h"
#include "dialect/zero/Zero.h"

namespace mlir::zero {

/// The operations of type `OpTy` in the victim's programs, in order.
template <typename OpTy>
SmallVector<OpTy> operationsOf(Victim &victim) {
  SmallVector<OpTy> found;
  for (ProgramOp program : victim.programs)
    llvm::append_range(found, program.front().getOps<OpTy>());
  return found;
}
SmallVector<Operation *> operationsOf(Victim &victim,
                                      function_ref<bool(Operation *)> filter);

/// Draws one of these operations; null if there is none.
Operation *pick(Victim &victim, function_ref<bool(Operation *)> filter);
template <typename OpTy>
OpTy pick(
    Victim &victim,
    function_ref<bool(OpTy)> filter = [](OpTy) { return true; }) {
  return victim.random.pick(
      llvm::filter_to_vector(operationsOf<OpTy>(victim), filter));
}

/// Returns the kernels with a body that the victim's programs launch.
SmallVector<KernelOp> kernelsOf(Victim &victim);

/// Draws a place of this type; null if there is none.
template <typename Place>
Place drawPlace(Victim &victim) {
  if constexpr (std::is_same_v<Place, ProgramOp>)
    return victim.random.pick(victim.programs);
  else if constexpr (std::is_same_v<Place, KernelOp>)
    return victim.random.pick(kernelsOf(victim));
  else
    return pick<Place>(victim);
}

/// Exchanges the values of two operands.
void exchange(OpOperand &a, OpOperand &b);

/// Returns the values of `type` that are defined before `op`.
SmallVector<Value> definedBefore(Operation *op, Type type);

/// Replaces an operand by another one of `others`.
Change replaceOperand(OpOperand &operand, ArrayRef<Value> others,
                      Random &random);

/// Exchanges two operands of `op`, if that is not null, that have the same type
/// but are different values; `text` describes `op`.
Change exchangeIn(Operation *op, Random &random, std::string text);
Change exchangeIn(Operation *op, Random &random);

/// Returns true if zero.stream assigns `op` to a stream.
bool runsOnStream(Operation *op);

/// Draws one of the arguments and results with bytes, in all programs of the
/// victim; null if there is none.
Value pickValue(
    Victim &victim,
    function_ref<bool(Value)> filter = [](Value) { return true; });
ProgramOp programOf(Value value);
BytesAttr getBytes(Value value);
void setBytes(Value value, BytesAttr bytes);
/// Returns the range moved by `delta`; null if it would begin before byte 0.
BytesAttr moved(BytesAttr bytes, int64_t delta);
/// Moves those of `values` that do not begin before byte 0 then.
void moveEach(ArrayRef<Value> values, int64_t delta);

/// Returns the arguments at the same position in all programs of the victim.
SmallVector<Value> argumentsLike(Victim &victim, Value argument);

/// Exchanges an attribute of two arguments, in all programs of the victim.
void exchangeArgAttrs(Victim &victim, unsigned i, unsigned j, StringRef name);

/// Returns `value` and all values that must keep their place relative to it:
/// values tied by operations (Storage.h), arguments at the same position, next
/// state, outputs of the same name.
SmallVector<Value> familyOf(Victim &victim, Value value);

/// "@step, line 12: zero.all_gather of @b0 on gather".
std::string describe(Operation *op);
inline std::string describe(OpState op) { return describe(op.getOperation()); }
/// Same, with the number of the result, or "argument 3, state b0 m".
std::string describe(Value value);
std::string textOf(Attribute attribute);

/// Bytes of the arenas, by tier.
SmallVector<int64_t> arenaOf(ModuleOp module);
void setArena(ModuleOp module, ArrayRef<int64_t> arena);

/// Exchanges an operand between two of `ops` in one program, if these are
/// different values of one type.  `operandOf` may be null.
template <typename OpTy>
Change exchangeOfTwo(Victim &victim, ArrayRef<OpTy> ops,
                     function_ref<OpOperand *(OpTy)> operandOf,
                     StringRef text) {
  SmallVector<std::pair<OpTy, OpTy>> pairs;
  for (auto [i, one] : llvm::enumerate(ops))
    for (OpTy other : ops.drop_front(i + 1)) {
      OpOperand *mine = operandOf(one), *its = operandOf(other);
      if (mine && its && OpTy(one)->getBlock() == other->getBlock() &&
          mine->get() != its->get() &&
          mine->get().getType() == its->get().getType())
        pairs.push_back({one, other});
    }
  auto [one, other] = victim.random.pick(pairs);
  if (!one)
    return {};
  // A value that is defined between the two cannot be used by the first.
  Operation *made = operandOf(other)->get().getDefiningOp();
  if (made && !made->isBeforeInBlock(one))
    return {};
  std::string which = describe(one) + " and " + describe(other);
  exchange(*operandOf(one), *operandOf(other));
  return which + ": " + text.str();
}

} // namespace mlir::zero
