//===- Occupancy.h - Free and taken bytes over time -------------*- C++ -*-===//
//
// Buffers are rectangles of bytes by time.  A new buffer needs a gap between
// the buffers that are alive with it.  In a deep network thousands of buffers
// are compared with thousands of others.  So instead of buffers, a segment tree
// over blocks of program points keeps the byte ranges that they take:
//
//   all             [             node             ]
//                   [     node     ][     node     ]
//   blocks          [ b0 ][  b1   ][ b2   ][  b3   ]
//   a buffer            |---------------|             in part of b0 and of b2,
//                                                     all through b1
//
//   spanning(node)     bytes of buffers that are alive all through the node,
//                      but not all through its parent
//   overlapping(node)  bytes of buffers that are alive at any point of the node
//   parts(block)       the buffers that begin or end in the block
//
// A buffer and a query visit a few nodes of each level.  Bytes are kept as runs
// that do not touch, so a tightly packed region is one run, however many
// buffers it holds.
//
// Buffers of one size come one layer after the other, so successive queries for
// one size are nearly the same.  A query walks down from the root, and keeps
// the remaining gaps after each node.  The next query for this size continues
// from the last node that both share, without the bytes taken in between.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace mlir::zero {

class Occupancy {
public:
  struct Run {
    int64_t begin, end;
  };

  /// Program points are 0 to `points`, both included.
  explicit Occupancy(unsigned points);

  /// Takes bytes [begin, end) from point `birth` to point `death`.
  void take(unsigned birth, unsigned death, int64_t begin, int64_t end);

  /// Returns the start of the smallest gap at or above `base` that is free from
  /// `birth` to `death` and holds `size` bytes, the first of several; the end
  /// of all taken bytes if there is none.
  int64_t findBestFit(unsigned birth, unsigned death, int64_t size,
                      int64_t base);

private:
  struct Shadow {
    void add(Run run);
    /// Sorted by offset; they neither overlap nor touch.
    std::vector<Run> runs;
  };
  struct Part {
    unsigned birth, death;
    Run bytes;
  };
  /// A node of a query: it counts the buffers that are alive all through it, or
  /// those that are alive at any of its points.
  struct Key {
    unsigned node;
    bool allThrough;
    bool operator==(const Key &other) const {
      return node == other.node && allThrough == other.allThrough;
    }
  };
  /// The gaps that remain after `key` and the keys before it, given the first
  /// `seen` buffers in `buffers`.
  struct Step {
    Key key;
    size_t seen;
    std::vector<Run> gaps;
  };
  /// The last query for `size` bytes.
  struct LastQuery {
    int64_t size = -1, base = 0;
    std::vector<Step> steps;
    size_t numSteps = 0; ///< steps in use; the others are spare
    size_t lastUse = 0;
  };
  static constexpr unsigned kBlock = 128;
  static constexpr size_t kLastQueries = 8;
  /// After more changes than this a query starts from the root.
  static constexpr size_t kMostChanges = 512;

  std::vector<Key> findKeys(unsigned first, unsigned last) const;
  LastQuery &findLastQuery(int64_t size, int64_t base);
  /// Returns the number of steps of `last` that are valid for `keys`, and
  /// updates the last of them.
  size_t reuse(LastQuery &last, llvm::ArrayRef<Key> keys) const;
  /// Whether `part` takes bytes that `key` counts.
  bool touches(const Part &part, Key key) const;

  std::vector<Part> buffers; ///< all, in order
  std::vector<std::vector<Part>> parts;
  /// Node 1 is the root, nodes 2n and 2n + 1 are below n; those of single
  /// blocks start at `firstLeaf`.
  std::vector<Shadow> spanning, overlapping;
  unsigned firstLeaf = 1;
  std::vector<LastQuery> lastQueries;
  size_t numQuestions = 0;
};

} // namespace mlir::zero
