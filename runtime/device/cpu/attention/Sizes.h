//===- Sizes.h - Sizes of attention's blocks --------------------*- C++ -*-===//
//
// A thread's memory holds the data of one block of queries and one block of
// keys.  The sizes depend only on the shape, because they determine the order
// of sums.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"
#include "runtime/device/cpu/attention/Attention.h"
#include "runtime/device/cpu/gemm/Gemm.h"

namespace zrt {
namespace {

/// Rows and columns are padded to multiples of this.
constexpr int64_t kPad = 16;
/// Tiles may read and write this many rows beyond a matrix.
constexpr int64_t kSpareRows = 16;
/// The most queries of a block: with 64 columns, one of its matrices is half of
/// the first-level cache.
constexpr int64_t kMaxQueries = 64;
/// The keys of a panel: their scores are computed and used while they are in
/// the first-level cache.  A query's exponentials are summed panel by panel.
constexpr int64_t kPanel = 48;

/// The number of keys that query 0 sees; each further query sees one more.
inline int64_t seenByFirst(const AttentionShape &shape) {
  return shape.keys - shape.queries + 1;
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

struct Sizes {
  int64_t width;   ///< padded
  int64_t queries; ///< of a block, padded: the distance of rows of scores
  int64_t keys;    ///< of a block

  /// Each query needs `perQuery` rows of `width`; each key needs `perKey` of
  /// these and `scores` rows of `queries`.  `others` floats are reserved for
  /// other data.
  Sizes(const AttentionShape &shape, int64_t perQuery, int64_t perKey,
        int64_t scores, int64_t others = 0) {
    const int64_t total = ZRT_PACKING_BYTES / int64_t(sizeof(float)) - others;
    width = filledUp(shape.width);
    queries =
        shape.queries < kMaxQueries ? filledUp(shape.queries) : kMaxQueries;
    while (queries > kPad && perQuery * queries * width > total / 2)
      queries -= kPad;
    const int64_t rest = total - perQuery * (queries + kSpareRows) * width;
    keys = rest / (perKey * width + scores * queries) - kSpareRows;
    if (keys > shape.keys)
      keys = shape.keys;
  }

  static int64_t filledUp(int64_t count) {
    return (count + kPad - 1) / kPad * kPad;
  }
};

inline Sizes forwardSizes(const AttentionShape &shape) {
  return Sizes(shape, 2, 2, 1);
}

/// If results have 16 bits and not all keys fit, one float for each query of
/// `heads` query heads is reserved beside the blocks.
inline Sizes backwardSizes(const AttentionShape &shape, bool isCapped,
                           bool isF32, int64_t heads) {
  const int64_t scores = isCapped ? 3 : 2;
  const Sizes sizes(shape, 5, 4, scores);
  if (isF32 || shape.keys <= sizes.keys)
    return sizes;
  return Sizes(shape, 5, 4, scores, Sizes::filledUp(heads * shape.queries));
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
    if (!shape.window && !shape.starts)
      return;
    for (int64_t i = 0; i < kMaxQueries; ++i) {
      const int64_t query = first + (i < rows ? i : rows - 1);
      const int64_t last = zrt::seenByFirst(shape) + query - 1;
      int64_t key = 0;
      if (shape.window && last - shape.window + 1 > key)
        key = last - shape.window + 1;
      if (shape.starts) {
        const int64_t start = shape.starts[query];
        const int64_t within = start < last ? start : last;
        key = within > key ? within : key;
      }
      of[i] = int32_t(key);
      least = i == 0 || of[i] < least ? of[i] : least;
      most = of[i] > most ? of[i] : most;
    }
  }
  /// Returns true if any query does not see key 0.
  bool any() const { return most > 0; }
};

/// `rows` queries, and the keys [start, start + keys).
struct Block {
  int64_t rows, start, keys;
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
