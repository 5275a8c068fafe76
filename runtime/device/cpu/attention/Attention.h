//===- Attention.h - Attention of one batch and head ------------*- C++ -*-===//
//
// The bits depend only on the operands, and are the same on all processors with
// FMA, whatever their vector width.  16-bit operands are widened when they are
// copied, all sums are in f32, and results are rounded once.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "numerics/Dropout.h"
#include "runtime/numbers/HalfFloats.h"
#include "runtime/numbers/Rows.h"

#include <cstdint>

namespace zrt {

/// The rows that see each other: with `causal`, query i sees keys up to
/// last(i) = i + keys - queries; with a `window`, only the last `window` of
/// these; with `starts` or `start`, only those from starts[i] or start on, but
/// always last(i).
struct AttentionShape {
  int64_t queries = 0, keys = 0, width = 0;
  float scale = 1;
  bool causal = false;
  int64_t window = 0;              ///< 0: none; needs causal
  float softCap = 0;               ///< scores become c tanh(score / c); 0: none
  const int32_t *starts = nullptr; ///< one per query, or null; needs causal
  const Dropout *dropout = nullptr; ///< of the probabilities, or null
  int64_t head = 0; ///< the first query head: of the elements of dropout
  /// Takes the blocks of keys of a forward pass of this many positions, so that
  /// a pass of its last queries has its bits.  0: the number of queries.
  int64_t positions = 0;
  /// The start of all queries, if `starts` is null; needs causal.
  int64_t start = 0;
};

/// out = softmax(scale q k^T) v; T is float, Brain or Half.
template <typename T>
struct AttentionOf {
  AttentionShape shape;
  Rows<const T> q, k, v;
  Rows<T> out;
  float *lse = nullptr; ///< log of each row's sum of exponentials; may be null
};
using Attention = AttentionOf<float>;

/// The same without dropout and lse, for a few queries of each of the `heads`
/// query heads that read one head of keys and values.  Heads are `..Head`
/// elements apart.  Needs causal.
template <typename T>
struct FewAttentionOf {
  AttentionShape shape;
  Rows<const T> q, k, v;
  Rows<T> out;
  int64_t heads = 1, qHead = 0, outHead = 0;
};

/// The query heads that read one head of keys and values, and the distance of
/// heads in each array, in elements; `stats` is that of lse and delta.
struct QueryHeads {
  int64_t count = 1;
  int64_t grad = 0, q = 0, stats = 0, dq = 0;
};

/// Computes the gradients of q, k and v from that of out.  Those of k and v are
/// summed over the query heads, in order.
template <typename T>
struct AttentionBackwardOf {
  AttentionShape shape;
  Rows<const T> grad, q, k, v;
  const float *lse = nullptr, *delta = nullptr; ///< delta: sums of grad x out
  Rows<T> dq, dk, dv;
  QueryHeads heads = {};
};
using AttentionBackward = AttentionBackwardOf<float>;

} // namespace zrt
