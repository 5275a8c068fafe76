//===- Dropout.h - Dropout of an element, in a body -------------*- C++ -*-===//
#pragma once

#include "dialect/nn/Scalar.h"
#include "mlir/IR/Diagnostics.h"

namespace mlir::nn {

/// `x` divided by 1 - rate, or 0 where it is dropped.  `key` is the i64 of the
/// sequence, and `element` an i32, the number of x in the sequence.
S dropped(const Scalars &in, S x, Value key, Value element, double rate,
          uint64_t place);

/// The number of an element at `places` of a tensor of `shape`, as i32, modulo
/// 2^32; a place is an index.
Value numberOf(const Scalars &in, ArrayRef<int64_t> shape, ValueRange places);

/// Fails unless `rate` is a rate of dropout, above 0 and below 1.
LogicalResult verifyRate(Operation *op, double rate);

} // namespace mlir::nn
