//===- RuntimeKernels.h - What the runtime calls on a GPU -------*- C++ -*-===//
#pragma once

#include "passes/codegen/gpu/Dequantize.h"
#include "passes/codegen/gpu/GroupRankedSum.h"
#include "passes/codegen/gpu/GroupedProduct.h"

namespace mlir::zero {

/// Kernels that are no kernels of a plan: for which types they are needed.
struct RuntimeKernels {
  /// Of the gradients whose squares are added.
  SmallVector<Type> squares;
  /// Of what ranks contribute.
  SmallVector<RankedSum> sums;
  /// Of packed weights.
  SmallVector<PackedType> packed;
  /// Of experts.
  SmallVector<GroupedProduct> grouped;
  /// Of biases whose products have results of f32: bf16, f16.
  SmallVector<Type> widened;
};

} // namespace mlir::zero
