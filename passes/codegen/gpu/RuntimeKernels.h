//===- RuntimeKernels.h - Kernels that the runtime calls --------*- C++ -*-===//
#pragma once

#include "passes/codegen/gpu/Dequantize.h"
#include "passes/codegen/gpu/GroupRankedSum.h"
#include "passes/codegen/gpu/GroupedProduct.h"

namespace mlir::zero {

/// The types of kernels that the runtime calls and that are no kernels of a
/// plan.
struct RuntimeKernels {
  /// Types of gradients whose squares are added.
  SmallVector<Type> squares;
  /// Sums of the contributions of ranks.
  SmallVector<RankedSum> sums;
  /// Types of packed weights.
  SmallVector<PackedType> packed;
  /// Products of experts.
  SmallVector<GroupedProduct> grouped;
  /// Types of biases whose products have results of f32: bf16, f16.
  SmallVector<Type> widened;
};

} // namespace mlir::zero
