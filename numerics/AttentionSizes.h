//===- AttentionSizes.h - Sizes of attention's blocks -----------*- C++ -*-===//
//
// Attention works on blocks of queries and blocks of keys.  Their sizes depend
// only on the shape, because they determine the order of sums: processors and
// GPUs take the same.  On a processor, a thread's memory of ZRT_PACKING_BYTES
// holds the data of one block of each.
//
// Included by code for several processors, so each has its own copy.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"

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

struct Sizes {
  int64_t width = 0;   ///< padded
  int64_t queries = 0; ///< of a block, padded: the distance of rows of scores
  int64_t keys = 0;    ///< of a block

  Sizes() = default;
  /// The blocks of a shape with the numbers `queries`, `keys` and `width`.
  /// Each query needs `perQuery` rows of `width`; each key needs `perKey` of
  /// these and `scores` rows of `queries`.
  template <typename Shape>
  Sizes(const Shape &shape, int64_t perQuery, int64_t perKey, int64_t scores) {
    const int64_t total = ZRT_PACKING_BYTES / int64_t(sizeof(float));
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

template <typename Shape>
inline Sizes forwardSizes(const Shape &shape) {
  return Sizes(shape, 2, 2, 1);
}

template <typename Shape>
inline Sizes backwardSizes(const Shape &shape, bool isCapped) {
  return Sizes(shape, 5, 4, isCapped ? 3 : 2);
}

} // namespace
} // namespace zrt
