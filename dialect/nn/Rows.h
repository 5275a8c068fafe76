//===- Rows.h - Reading rows at computed places ---------------------------===//
//
// Linalg forms that read rows of a tensor at places that another tensor gives.
// Places are clamped before use, so that nothing outside of the tensor is read;
// the judge proves it from the clamp (passes/verify/Positions.cpp).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/nn/Scalar.h"

namespace mlir::nn {

/// `place`, an i32, as an index, clamped to [0, size); emitted in the body that
/// reads `in`.
Value clampedIndex(const Scalars &in, S place, int64_t size);

/// `offsets`, of groups of rows, without the last: where each group begins.
Value firstOffsets(OpBuilder &b, Location loc, Value offsets);

/// Like reduceSum (Generic.h), for sums with loops that only the result has:
/// `type` is the result's, `loops` names all loops, the outermost first.
Value sumInto(OpBuilder &b, Location loc, RankedTensorType type,
              StringRef result, ValueRange inputs, ArrayRef<StringRef> maps,
              StringRef loops, ScalarBody body);

/// An elementwise operation over all dimensions of `type`, with inputs that are
/// indexed by the first dimension of the result.
Value overRows(OpBuilder &b, Location loc, RankedTensorType type,
               ValueRange inputs, ScalarBody body);

/// result[n, :] = sum_k weights[n, k] y[places[n, k], :], in the order of k;
/// null `weights` count as 1.
Value sumOfRows(OpBuilder &b, Location loc, RankedTensorType type, Value y,
                Value places, Value weights);

} // namespace mlir::nn
