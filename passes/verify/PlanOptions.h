//===- PlanOptions.h - A plan is what its options say ---------------------===//
#pragma once

#include "dialect/zero/Zero.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero::judge {

/// (S7) What zero.options of `plan` names is what the plan has.
LogicalResult judgeOptions(ModuleOp plan, int64_t ranks);

/// ... of its stage: what each of several ranks keeps of state and gradients.
LogicalResult judgeStage(ModuleOp plan, OptionsAttr options, int64_t ranks);

/// ... of its optimizer: the rule of its updates.
LogicalResult judgeUpdateRule(ModuleOp plan, OptionsAttr options);

/// `op` has `has`, and `options` say something else by the option `option`.
InFlightDiagnostic contradicts(Operation *op, const Twine &has,
                               OptionsAttr options, StringRef option);

} // namespace mlir::zero::judge
