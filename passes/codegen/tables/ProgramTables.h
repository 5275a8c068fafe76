//===- ProgramTables.h - Programs as tables of zrt ------------------------===//
#pragma once

#include "passes/codegen/tables/PlanOperands.h"

namespace mlir::zero {

/// The streams of all programs of `plan`: `compute`, and those that operations
/// name, in the order of the enumeration.
SmallVector<Stream> listStreams(ModuleOp plan);

/// The table of `program`, which refers to streams by their indices in
/// `streams` and to kernels as the external functions `zk.NAME`.  An operation
/// that the runtime does not know is an error, recorded in `operands`.
Zrt<zrt_program> tabulate(ProgramOp program, ArrayRef<Stream> streams,
                          PlanOperands &operands);

} // namespace mlir::zero
