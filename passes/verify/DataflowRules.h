//===- DataflowRules.h - What the values of a program stand for -----------===//
//
// Bytes and clocks say that an operation finds the value that it names.  These
// rules say that it is the right value to name.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"

namespace mlir::zero::judge {

/// (V11) What ranks must agree on is equal on all `ranks`.
LogicalResult judgeAgreement(ProgramOp program, int64_t ranks);

/// (V12) Flat values are used as the slots, and scalars as the names, that they
/// are.
LogicalResult judgeSlotUses(ProgramOp program);

/// (V13) Each gradient reaches the update, once.  `name` is the program's, also
/// where the function is that of one rank; there are `ranks` in all.
LogicalResult judgeContributions(ProgramOp program, StringRef name,
                                 int64_t ranks);

} // namespace mlir::zero::judge
