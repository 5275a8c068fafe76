//===- Agreement.h - What ranks must agree on -----------------------------===//
#ifndef PASSES_VERIFY_AGREEMENT_H
#define PASSES_VERIFY_AGREEMENT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::zero::judge {

/// (V11); there is something to agree on when there are several `ranks`.
LogicalResult judgeAgreement(func::FuncOp program, int64_t ranks);

} // namespace mlir::zero::judge

#endif // PASSES_VERIFY_AGREEMENT_H
