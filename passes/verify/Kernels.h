//===- Kernels.h - What kernels say of themselves -------------------------===//
#ifndef PASSES_VERIFY_KERNELS_H
#define PASSES_VERIFY_KERNELS_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero::judge {

/// (S6) What every kernel of `module` says of itself is true of its body.
LogicalResult judgeKernels(ModuleOp module);

} // namespace mlir::zero::judge

#endif // PASSES_VERIFY_KERNELS_H
