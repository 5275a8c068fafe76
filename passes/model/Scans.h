//===- Scans.h - Cumulative sums of torch-mlir ------------------*- C++ -*-===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero {

/// Lowers every tm_tensor.scan of `module` to linalg: sums over windows that
/// end at the element.  Emits an error for a scan that is no such sum.
///
///   y = scan of x [..., n, ...]
///     => y[i] = sum over w < n of p[i + w], where p is x behind n - 1 zeros
LogicalResult lowerScans(ModuleOp module);

} // namespace mlir::zero
