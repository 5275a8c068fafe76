//===- HostInterface.h - What the host reads and writes -------------------===//
#ifndef PASSES_VERIFY_HOSTINTERFACE_H
#define PASSES_VERIFY_HOSTINTERFACE_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero::judge {

/// (S5) Every argument and output is one that the host knows what to do with.
LogicalResult judgeHostInterface(ModuleOp module);

} // namespace mlir::zero::judge

#endif // PASSES_VERIFY_HOSTINTERFACE_H
