//===- Sizes.h - Sizes that can be computed with ----------------*- C++ -*-===//
//
// Passes multiply, add and divide by the sizes of a module, and a text may
// bring any.  They are judged in one place, before the first pass and after
// each level; after that every product and every sum of sizes of values fits.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero {

/// Of one value, and of all values of a module together.
constexpr int64_t kMaxValueBytes = int64_t(1) << 50;
constexpr int64_t kMaxModuleBytes = int64_t(1) << 60;

/// Fails with an error at the first value that has a size of 0, or more bytes
/// than that.
LogicalResult checkSizes(ModuleOp module);

} // namespace mlir::zero
