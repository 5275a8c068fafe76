//===- HostOutputs.h - Outputs that the host needs from programs ----------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero::judge {

/// (S5) Every program has the outputs that the host reads after it.
LogicalResult judgeHostOutputs(ModuleOp module);

} // namespace mlir::zero::judge
