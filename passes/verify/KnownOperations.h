//===- KnownOperations.h - Operations known to the judge --------*- C++ -*-===//
//
// The judge does not use the interfaces of operations: plans are made from
// them, so an error there would confirm itself.  It uses these lists and those
// of Accesses.h, and refuses operations that are in none of them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"

namespace mlir::zero::judge {

/// Whether `op` only names bytes and runs nothing.
bool namesBytes(Operation *op);

/// Whether `op` is an exchange between ranks.
bool isExchange(Operation *op);

/// Whether `op` moves a value from one tier to another.
bool isTransfer(Operation *op);

/// Whether the runtime has a call for `op`.
bool runs(Operation *op);

/// The pairs of values of `op` that share bytes.
SmallVector<StorageTie> getTies(Operation *op, SymbolTableCollection &symbols);

/// The operands that peers read while `op` runs.
SmallVector<unsigned> getPeerReads(Operation *op);

} // namespace mlir::zero::judge
