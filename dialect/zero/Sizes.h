//===- Sizes.h - Limits that keep sizes from overflowing --------*- C++ -*-===//
//
// Passes multiply, add and divide by the sizes of a module, and an input module
// may have any sizes.  They are checked before the first pass and after each
// level, so that no product and no sum of sizes of values overflows.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero {

/// The most bytes of one value, and of all values of a module together.
constexpr int64_t kMaxValueBytes = int64_t(1) << 50;
constexpr int64_t kMaxModuleBytes = int64_t(1) << 60;

/// Fails with an error at the first value that has a size of 0, or exceeds
/// these limits.
LogicalResult checkSizes(ModuleOp module);

} // namespace mlir::zero
