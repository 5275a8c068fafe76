//===- Rows.h - Reading rows at computed places ---------------------------===//
//
// Linalg forms that read a row of a tensor at a place that another tensor says.
// Places are clamped before they are used: then nothing outside of the tensor is
// read whatever they are, and the judge sees it (passes/verify/Positions.cpp).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/nn/Generic.h"

namespace mlir::nn {

/// `place`, an i32, as an index of [0, size): what lies outside becomes the
/// first or the last.
Value clampedIndex(OpBuilder &b, Location loc, Value place, int64_t size);

/// As reduceSum (Generic.h), for sums with loops that only the result has:
/// `type` is the result's, `loops` names all loops, the outermost first.
Value sumInto(OpBuilder &b, Location loc, RankedTensorType type,
              StringRef result, ValueRange inputs, ArrayRef<StringRef> maps,
              StringRef loops, ScalarBody body);

/// An elementwise operation over all dimensions of `type`, with inputs that are
/// indexed by the first dimension of the result.
Value overRows(OpBuilder &b, Location loc, RankedTensorType type,
               ValueRange inputs, ScalarBody body);

/// result[n, :] = sum_k weights[n, k] y[places[n, k], :], in the order of k;
/// `weights` may be null, for 1.
Value sumOfRows(OpBuilder &b, Location loc, RankedTensorType type, Value y,
                Value places, Value weights);

} // namespace mlir::nn
