//===- PlanOptions.h - A plan matches its options -------------------------===//
#pragma once

#include "dialect/zero/Zero.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero::judge {

/// (S7) The plan has the properties that its zero.options name.
LogicalResult judgeOptions(ModuleOp plan, int64_t ranks);

/// (S7) for the stage: the state and gradients that each of several ranks
/// keeps.
LogicalResult judgeStage(ModuleOp plan, OptionsAttr options, int64_t ranks);

/// (S7) for the optimizer: the rule of the updates.
LogicalResult judgeUpdateRule(ModuleOp plan, OptionsAttr options);

/// Reports that `op` has `has`, and that `options` contradict it in the option
/// `option`.
InFlightDiagnostic contradicts(Operation *op, const Twine &has,
                               OptionsAttr options, StringRef option);

} // namespace mlir::zero::judge
