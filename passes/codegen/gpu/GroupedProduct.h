//===- GroupedProduct.h - Products of groups of rows on a GPU ---*- C++ -*-===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero {

/// A zrt_grouped_desc (abi/ZrtStructs.def) without its rows: y = x W[g], or
/// with `sums` W[g] = x^T y.
struct GroupedProduct {
  bool sums, transW;
  Type from, to; ///< of operands and result: f32, bf16 or f16
  int64_t groups, n, k;
  bool operator==(const GroupedProduct &) const = default;
};

/// Adds zrt_grouped_FROM_TO_FORM_GROUPSxNxK (abi/ZrtStructs.def) to
/// `module`, in which the functions of Shuffle.h are declared.
void emitGroupedProduct(ModuleOp module, const GroupedProduct &product);

} // namespace mlir::zero
