//===- VectorLoops.h - From a linalg operation to vector loops ------------===//
#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::zero {

/// Elements that are added up side by side in a sum along a row, before what
/// is left of it (RowSums.cpp), and in that rest.  The same on every machine: they
/// fix the order in which reductions add, so that results do not depend on its
/// width.
constexpr int64_t kSumLanes = 64;
constexpr int64_t kRestLanes = 16;
/// Elements of a long row that are summed up alone; what they give is added in order.
constexpr int64_t kChunk = 4096;

/// How the loop along memory is cut.  On a CPU a thread takes 16 elements at a
/// time.  On a GPU a group of 16 threads does what a CPU's thread does: it takes
/// 64 elements at a time, and each of its threads 4 of them.
///
///           width  stride  thread
///   CPU     16     16      none
///   GPU     4      64      0 to 15
///
/// Where rows are long, some groups share a row: chunk i is that of member
/// i % team.
struct Lanes {
  int64_t width = kRestLanes;  ///< elements in a vector
  int64_t stride = kRestLanes; ///< elements from one vector to the next
  Value thread;                ///< of the group; its vector is the thread-th
  int64_t team = 0;            ///< groups that share a row; 0: each has its own
  Value member;                ///< of the team, this thread's group

  static Lanes ofGroup(Value thread);
  bool isGroup() const { return static_cast<bool>(thread); }
};

/// Threads of a group, and of a block of a GPU.
constexpr int64_t kGroupThreads = 16;
constexpr int64_t kBlockThreads = 128;

inline Lanes Lanes::ofGroup(Value thread) {
  Lanes lanes;
  lanes.width = kSumLanes / kGroupThreads;
  lanes.stride = kSumLanes;
  lanes.thread = thread;
  return lanes;
}

/// Emits a loop over [lower, upper) in whole vectors, then one masked vector
/// for the rest.  `body` receives the index of the first lane, the mask (null
/// for a whole vector) and the carried values; it returns their next values.
SmallVector<Value>
forVectors(OpBuilder &b, Location loc, const Lanes &lanes, Value lower,
           Value upper, ValueRange carried,
           llvm::function_ref<SmallVector<Value>(OpBuilder &, Value index,
                                                 Value mask, ValueRange)>
               body);

/// Where the vector of this thread begins, of those that begin at `index`.
Value firstOf(OpBuilder &b, Location loc, const Lanes &lanes, Value index);
/// Lanes of a vector at `first` that lie below `upper`.
Value maskBelow(OpBuilder &b, Location loc, const Lanes &lanes, Value first,
                Value upper);

/// Loads a vector at `indices` of a memref; lanes off the mask are zero.  With
/// `isOnLane` the last index is one that forVectors has given.
Value loadVector(OpBuilder &b, Location loc, const Lanes &lanes, Value memref,
                 ValueRange indices, Value mask, bool isOnLane = true);
void storeVector(OpBuilder &b, Location loc, const Lanes &lanes, Value vector,
                 Value memref, ValueRange indices, Value mask,
                 bool isOnLane = true);

/// `x` and `y` by an operation named `name`.
Value combine(OpBuilder &b, Location loc, OperationName name, Value x, Value y);

/// Combines the lanes of `vector` pairwise, halves first, by an operation named
/// `name`; the order is fixed.
Value combineLanes(OpBuilder &b, Location loc, OperationName name,
                   Value vector);

/// Of a block of threads of a GPU that sums columns (gpu/BlockColumnSums.cpp): its
/// groups, of which each has all columns of the block, share the rows.
struct RowShare {
  int64_t groups = 0; ///< 0: it is not so
  Value group;        ///< of this thread
  Value memory;       ///< of the block, of unknown size
};

/// Where the loops of an operation are emitted.
struct LoopContext {
  Lanes lanes;
  RowShare rowShare;
  /// Of a team: what its threads share, of unknown size, behind their temporaries.
  Value teamMemory;
  /// The first loops are these indices already (a kernel's row).
  SmallVector<Value> rows;
  /// Buffers of which only one row exists: what stands in for them, indexed
  /// without the rows.
  llvm::SmallDenseMap<Value, Value> rowBuffers;
  /// Buffers of which each thread of a group has its own elements alone, side by
  /// side.
  llvm::SmallDenseSet<Value> owned;
  /// For column kernels: the range of the contiguous loop.
  Value columnBegin, columnEnd;
};

/// Into how many runs the rows of `op` are cut, a sum of columns (ColumnSums.h), and
/// in how many bytes a block keeps what they add up to; 0 of all else.
struct ColumnRuns {
  int64_t count = 0, bytes = 0;
};
ColumnRuns getColumnRuns(linalg::LinalgOp op, const LoopContext &context);

/// Bytes in which a team keeps what the chunks of `op` add up to (GroupSums.cpp).
int64_t getTeamBytes(linalg::LinalgOp op, const LoopContext &context);

/// Emits `op`, whose operands are memrefs, at the builder's position.
void emitVectorLoops(OpBuilder &b, linalg::LinalgOp op,
                     const LoopContext &context);

} // namespace mlir::zero
