//===- DataflowRules.h - Rules for the meaning of values ------------------===//
//
// The replay of bytes and clocks shows that an operation finds the value that
// it names.  These rules show that it names the right value.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"

namespace mlir::zero::judge {

/// (V11) Values that ranks must agree on are equal on all `ranks`.
LogicalResult judgeAgreement(ProgramOp program, int64_t ranks);

/// (V12) Each flat value is used only as its own slot, and each scalar only
/// under its own name.
LogicalResult judgeSlotUses(ProgramOp program);

/// (V13) Each gradient reaches the update once.  `name` is the program's name,
/// also if `program` is the function of a single rank; `ranks` counts all
/// ranks.
LogicalResult judgeContributions(ProgramOp program, StringRef name,
                                 int64_t ranks);

} // namespace mlir::zero::judge
