//===- HostInterface.h - What the host reads and writes -------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero::judge {

/// (S5) Every argument and output is one that the host knows what to do with.
LogicalResult judgeHostInterface(ModuleOp module);

} // namespace mlir::zero::judge
