//===- PlanOptions.h - A plan is what its options say ---------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero::judge {

/// (S7) What zero.options of `plan` names is what the plan has.
LogicalResult judgeOptions(ModuleOp plan, int64_t ranks);

} // namespace mlir::zero::judge
