//===- PlanOptions.h - A plan is what its options say ---------------------===//
#ifndef PASSES_VERIFY_PLANOPTIONS_H
#define PASSES_VERIFY_PLANOPTIONS_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero::judge {

/// (S7) What zero.options of `plan` names is what the plan has.
LogicalResult judgeOptions(ModuleOp plan, int64_t ranks);

} // namespace mlir::zero::judge

#endif // PASSES_VERIFY_PLANOPTIONS_H
