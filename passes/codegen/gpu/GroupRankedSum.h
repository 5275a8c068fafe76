//===- GroupRankedSum.h - Sums over ranks by groups of threads --*- C++ -*-===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero {

/// A sum of contributions of type `from`, whose result has the type `to`.
struct RankedSum {
  Type from, to;
  bool operator==(const RankedSum &) const = default;
};

/// Adds zrt_ranked_sum_FROM_TO (abi/ZrtStructs.def) to `module`, in which
/// the functions of Shuffle.h are declared.
void emitRankedSum(ModuleOp module, const RankedSum &sum);

} // namespace mlir::zero
