//===- KnownOperations.h - What the judge knows of operations ---*- C++ -*-===//
//
// The judge asks no operation what it does: a plan is made by what they say, so
// a wrong answer would be believed twice.  It has these lists and those of
// Accesses.h; an operation that is in none of them is no operation of a plan.
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
