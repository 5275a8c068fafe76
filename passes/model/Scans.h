//===- Scans.h - Cumulative sums of torch-mlir ------------------*- C++ -*-===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero {

/// Makes linalg of every tm_tensor.scan of `module`: sums over windows that end
/// where the element stands.  An error names what is none.
///
///   y = scan of x [..., n, ...]
///     => y[i] = sum over w < n of p[i + w], where p is x behind n - 1 zeros
LogicalResult lowerScans(ModuleOp module);

} // namespace mlir::zero
