//===- Identity.h - Which slot of which bucket a flat value is ------------===//
#ifndef PASSES_VERIFY_IDENTITY_H
#define PASSES_VERIFY_IDENTITY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::zero::judge {

/// (V12)
LogicalResult judgeIdentity(func::FuncOp program);

} // namespace mlir::zero::judge

#endif // PASSES_VERIFY_IDENTITY_H
