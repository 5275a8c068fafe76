//===- Contributions.h - Each gradient reaches the update, once -----------===//
#ifndef PASSES_VERIFY_CONTRIBUTIONS_H
#define PASSES_VERIFY_CONTRIBUTIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::zero::judge {

/// (V13), of the program called `name` (zero.program of a program of one rank).
LogicalResult judgeContributions(func::FuncOp program, StringRef name);

} // namespace mlir::zero::judge

#endif // PASSES_VERIFY_CONTRIBUTIONS_H
