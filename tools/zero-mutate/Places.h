//===- Places.h - Where a plan can be broken ------------------------------===//
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

/// The kernels with a body that the victim's programs launch.
SmallVector<KernelOp> kernelsOf(Victim &victim);

/// Exchanges two operands of `op` of one type, which are different values;
/// `text` says what `op` is.
Change exchangeIn(Operation *op, Random &random, std::string text);
Change exchangeIn(Operation *op, Random &random);

/// Whether `op` is put on a stream by zero.stream.
bool runsOnStream(Operation *op);

/// Arguments and results that have bytes, in all programs of the victim.
SmallVector<Value> valuesOf(Victim &victim);
ProgramOp programOf(Value value);
BytesAttr getBytes(Value value);
void setBytes(Value value, BytesAttr bytes);
/// The range moved by `delta`; null if it would begin before byte 0.
BytesAttr moved(BytesAttr bytes, int64_t delta);

/// The argument of the same place, in all programs of the victim.
SmallVector<Value> argumentsLike(Victim &victim, Value argument);

/// `value` and all that must keep its place beside it: what the operations tie
/// (Storage.h), arguments of one place, next state, outputs of one name.
SmallVector<Value> familyOf(Victim &victim, Value value);

/// "@step, line 12: zero.all_gather of @b0 on gather".
std::string describe(Operation *op);
/// The same with which of its results, or "argument 3, state b0 m".
std::string describe(Value value);
std::string textOf(Attribute attribute);

/// Bytes of the arenas, by tier.
SmallVector<int64_t> arenaOf(ModuleOp module);
void setArena(ModuleOp module, ArrayRef<int64_t> arena);

} // namespace mlir::zero
