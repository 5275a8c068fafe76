//===- Blocks.h - Blocks of queries and keys --------------------*- C++ -*-===//
//
// The data of one block of queries and one block of keys in a thread's memory
// (AttentionSizes.h has their sizes).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "numerics/AttentionSizes.h"
#include "runtime/device/cpu/attention/Attention.h"
#include "runtime/device/cpu/gemm/Gemm.h"

namespace zrt {
namespace {

/// The number of keys that query 0 sees; each further query sees one more.
inline int64_t seenByFirst(const AttentionShape &shape) {
  return shape.keys - shape.queries + 1;
}

/// Returns the first key that a query sees because of `window` or `start`.
/// Earlier keys are not read, so they may be anything.
inline int64_t firstRead(const AttentionShape &shape) {
  if (!shape.causal)
    return 0;
  const int64_t last = seenByFirst(shape) - 1;
  int64_t key = shape.window ? last - shape.window + 1 : 0;
  if (!shape.starts && shape.start > key)
    key = shape.start < last ? shape.start : last;
  return key < 0 ? 0 : key;
}

/// Returns the blocks of the forward pass.  Those of keys are as large as with
/// all queries of `positions`.
inline Sizes sizesOf(const AttentionShape &shape) {
  Sizes sizes = forwardSizes(shape);
  if (shape.positions > 0) {
    AttentionShape whole = shape;
    whole.queries = whole.keys = shape.positions;
    sizes.keys = forwardSizes(whole).keys;
  }
  return sizes;
}

template <typename T>
inline Rows<T> rowsFrom(Rows<T> rows, int64_t first) {
  return {rows.at + first * rows.stride, rows.stride};
}

/// Returns the rows of head `head`; heads are `distance` elements apart.
template <typename T>
inline Rows<T> ofHead(Rows<T> rows, int64_t head, int64_t distance) {
  return {rows.at + head * distance, rows.stride};
}

/// Allocates matrices from a thread's memory.
struct Carver {
  float *next;
  float *take(int64_t rows, int64_t width) {
    float *const result = next;
    next += (rows + kSpareRows) * width;
    return result;
  }
};

/// The first key that each query of a block sees, if early keys are hidden from
/// any.  Entries beyond the block's queries repeat the last one, so that
/// vectors are uniform.
struct FirstKeys {
  alignas(64) int32_t of[kMaxQueries];
  int32_t least = 0, most = 0;

  FirstKeys(const AttentionShape &shape, int64_t first, int64_t rows) {
    if (!shape.window && !shape.starts && shape.start <= 0)
      return;
    for (int64_t i = 0; i < kMaxQueries; ++i) {
      const int64_t query = first + (i < rows ? i : rows - 1);
      const int64_t last = zrt::seenByFirst(shape) + query - 1;
      int64_t key = 0;
      if (shape.window && last - shape.window + 1 > key)
        key = last - shape.window + 1;
      const int64_t start = shape.starts ? shape.starts[query] : shape.start;
      const int64_t within = start < last ? start : last;
      key = within > key ? within : key;
      of[i] = int32_t(key);
      least = i == 0 || of[i] < least ? of[i] : least;
      most = of[i] > most ? of[i] : most;
    }
  }
};

/// The queries [first, first + rows), and the keys [start, start + keys).
struct Block {
  int64_t first, rows, start, keys;
  int64_t seenByFirst; ///< keys of the block that query 0 sees; can be negative
  bool causal;
  const FirstKeys *firstKeys;

  /// Returns the first key of the block that some query sees.
  int64_t firstSeen() const {
    const int64_t key = firstKeys->least - start;
    return key < 0 ? 0 : key < keys ? key : keys;
  }
  /// Returns the first key of the block that is not too early for any query.
  int64_t firstSeenByAll() const {
    const int64_t key = firstKeys->most - start;
    return key < 0 ? 0 : key < keys ? key : keys;
  }

  /// Returns the number of keys of the block that its query `i` sees.
  int64_t seenBy(int64_t i) const {
    if (!causal)
      return keys;
    const int64_t seen = seenByFirst + i;
    return seen < 0 ? 0 : seen < keys ? seen : keys;
  }
  /// Returns the first query of the block that sees key `j`.
  int64_t firstQueryThatSees(int64_t j) const {
    const int64_t i = causal ? j + 1 - seenByFirst : 0;
    return i < 0 ? 0 : i;
  }
};

} // namespace
} // namespace zrt
