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
//===----------------------------------------------------------------------===//
#ifndef PASSES_PLAN_OCCUPANCY_H
#define PASSES_PLAN_OCCUPANCY_H

#include "llvm/ADT/STLFunctionalExtras.h"
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
                      int64_t base) const;

private:
  struct Shadow {
    void add(Run run);
    /// By offset; they neither overlap nor touch.
    std::vector<Run> runs;
    int64_t bytes = 0;
  };
  struct Part {
    unsigned birth, death;
    Run bytes;
  };
  static constexpr unsigned kBlock = 128;

  /// Calls `visit` for the nodes that tile the blocks between two others.
  void visitBetween(unsigned first, unsigned last,
                    llvm::function_ref<void(unsigned)> visit) const;

  std::vector<std::vector<Part>> parts;
  /// Node 1 is the root, nodes 2n and 2n + 1 are below n; those of single
  /// blocks start at `firstLeaf`.
  std::vector<Shadow> through, any;
  unsigned firstLeaf = 1;
};

} // namespace mlir::zero

#endif // PASSES_PLAN_OCCUPANCY_H
