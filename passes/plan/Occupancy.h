//===- Occupancy.h - Which bytes are taken, and when ------------*- C++ -*-===//
//
// Buffers are rectangles of bytes by time.  A new one asks for a gap between
// those that are alive with it.  In a deep network that are thousands for each
// of thousands, so their shadows on the byte axis are kept, and not buffers, in
// a tree over blocks of program points:
//
//   all             [             node             ]
//                   [     node     ][     node     ]
//   blocks          [ b0 ][  b1   ][ b2   ][  b3   ]
//   a buffer            |---------------|             in part of b0 and of b2,
//                                                     all through b1
//
//   through(node)   bytes of what is alive all through it, but not through its
//                   parent
//   any(node)       bytes of what is alive at any point of it
//   parts(block)    the buffers that are alive at some of its points
//
// A buffer and a question take a few nodes of each level.  Bytes are kept as
// runs that do not touch, so what is packed tightly is one run, however many
// buffers it holds.
//
// Buffers of one size come one layer after the other: the next one asks nearly
// what the last one did.  So a question goes from the root down, and its gaps
// are kept after each node.  The next one of that size starts from the last
// node that both have, with what was taken in between.
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

  /// The start of the smallest gap from `base` on that is free from `birth` to
  /// `death` and holds `size` bytes, the first of several; behind all that is
  /// taken if there is none.
  int64_t findBestFit(unsigned birth, unsigned death, int64_t size,
                      int64_t base);

private:
  struct Shadow {
    void add(Run run);
    /// By offset; they neither overlap nor touch.
    std::vector<Run> runs;
  };
  struct Part {
    unsigned birth, death;
    Run bytes;
  };
  /// A node of a question: what is alive all through it, or at any of its
  /// points.
  struct Key {
    unsigned node;
    bool allThrough;
    bool operator==(const Key &other) const {
      return node == other.node && allThrough == other.allThrough;
    }
  };
  /// What `key` and those before it left, as of the first `seen` in `taken`.
  struct Step {
    Key key;
    size_t seen;
    std::vector<Run> gaps;
  };
  /// The last question for `size` bytes.
  struct Trail {
    int64_t size = -1, base = 0;
    std::vector<Step> steps;
    size_t numSteps = 0; ///< of which the rest is spare
    size_t lastUse = 0;
  };
  static constexpr unsigned kBlock = 128;
  static constexpr size_t kTrails = 8;
  /// What changed more often is asked anew.
  static constexpr size_t kMostChanges = 512;

  std::vector<Key> findKeys(unsigned first, unsigned last) const;
  Trail &findTrail(int64_t size, int64_t base);
  /// How many steps of `trail` hold for `keys`, the last of them brought up to
  /// date.
  size_t reuse(Trail &trail, llvm::ArrayRef<Key> keys) const;
  /// Whether `part` takes bytes of what a key stands for.
  bool touches(const Part &part, Key key) const;

  std::vector<Part> taken; ///< all, in order
  std::vector<std::vector<Part>> parts;
  /// Node 1 is the root, nodes 2n and 2n + 1 are below n; those of single
  /// blocks start at `firstLeaf`.
  std::vector<Shadow> through, any;
  unsigned firstLeaf = 1;
  std::vector<Trail> trails;
  size_t numQuestions = 0;
};

} // namespace mlir::zero
