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

/// Returns the kernels with a body that the victim's programs launch.
SmallVector<KernelOp> kernelsOf(Victim &victim);

/// Exchanges two operands of `op` that have the same type but are different
/// values; `text` describes `op`.
Change exchangeIn(Operation *op, Random &random, std::string text);
Change exchangeIn(Operation *op, Random &random);

/// Returns true if zero.stream assigns `op` to a stream.
bool runsOnStream(Operation *op);

/// Returns the arguments and results with bytes, in all programs of the victim.
SmallVector<Value> valuesOf(Victim &victim);
ProgramOp programOf(Value value);
BytesAttr getBytes(Value value);
void setBytes(Value value, BytesAttr bytes);
/// Returns the range moved by `delta`; null if it would begin before byte 0.
BytesAttr moved(BytesAttr bytes, int64_t delta);

/// Returns the arguments at the same position in all programs of the victim.
SmallVector<Value> argumentsLike(Victim &victim, Value argument);

/// Returns `value` and all values that must keep their place relative to it:
/// values tied by operations (Storage.h), arguments at the same position, next
/// state, outputs of the same name.
SmallVector<Value> familyOf(Victim &victim, Value value);

/// "@step, line 12: zero.all_gather of @b0 on gather".
std::string describe(Operation *op);
/// Same, with the number of the result, or "argument 3, state b0 m".
std::string describe(Value value);
std::string textOf(Attribute attribute);

/// Bytes of the arenas, by tier.
SmallVector<int64_t> arenaOf(ModuleOp module);
void setArena(ModuleOp module, ArrayRef<int64_t> arena);

} // namespace mlir::zero
