//===- HostInterface.h - Names and types of arguments and outputs ---------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero::judge {

/// (S5) The host knows the purpose of every argument and output.
LogicalResult judgeHostInterface(ModuleOp module);

} // namespace mlir::zero::judge
