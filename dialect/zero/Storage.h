//===- Storage.h - Values that share bytes --------------------------------===//
//
// Most operations write results into bytes of their own.  The others declare it
// (PlanOpInterface), and AssignMemory honours it.  The judge has its own list.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"
#include "mlir/IR/Operation.h"

namespace mlir::zero {

/// The ties of `op`; symbols are looked up in the enclosing module, whose
/// tables `symbols` keeps.
SmallVector<StorageTie> getStorageTies(Operation *op,
                                       SymbolTableCollection &symbols);

/// The bytes that a plan gives to `value` (zero.at); null if it gives none.
BytesAttr bytesOf(Value value);

/// Whether `op` is a collective between ranks.
bool isCollective(Operation *op);

/// Whether `op` moves a value to another tier.
bool crossesTiers(Operation *op);

/// Whether `op` brings state to its use and may run ahead of it.
bool bringsState(Operation *op);

/// Whether `op` has its operand's elements in another format.
bool changesFormat(Operation *op);

/// Whether `op` orders streams and has no bytes.
bool isEvent(Operation *op);

/// The bucket that `op` names; null if it names none.
FlatSymbolRefAttr getBucketRef(Operation *op);

/// Whether `op` only names bytes (view, flatten, reshape) and runs nothing.
bool movesNothing(Operation *op);

/// Whether the result of `op` is another name of its operands' bytes (view,
/// pack, reshape).
bool renames(Operation *op);

/// Whether the result of `op` is another name of a parameter or of rows of it.
/// A parameter may also be a gradient, which zero.flatten collects.
bool renamesParameter(Operation *op);

/// Whether `op` gives its tensor another shape, in the same bytes.
bool isReshape(Operation *op);

/// The first of `users` that reads bytes, looking through those that only name
/// them; null if there is none.
Operation *findFirstReader(ArrayRef<Operation *> users);
/// The last such operation.
Operation *findLastReader(ArrayRef<Operation *> users);

} // namespace mlir::zero
