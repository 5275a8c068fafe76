//===- RestKernels.h - Kernels of the other results of a kernel -*- C++ -*-===//
#pragma once

#include "dialect/zero/Zero.h"

namespace mlir::zero::judge {

/// Whether `rest` computes `results` of `whole` by the same operations, from
/// result `given`, its first operand, and operands of `whole`: those that are
/// returned.
std::optional<SmallVector<unsigned>>
matchRestOfKernel(KernelOp rest, KernelOp whole, unsigned given,
                  ArrayRef<unsigned> results);

} // namespace mlir::zero::judge
