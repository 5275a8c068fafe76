//===- HostOutputs.h - What the host reads after each program -------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero::judge {

/// (S5) The outputs that the host goes by are there, in all programs after which
/// it reads them.
LogicalResult judgeHostOutputs(ModuleOp module);

} // namespace mlir::zero::judge
