//===- VectorLoops.h - From a linalg operation to vector loops ------------===//
#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "passes/codegen/loops/LoopCode.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::zero {

/// Elements that a sum along a row adds side by side: in its main part
/// (RowSums.cpp), and in the rest.  They are the same on every machine and fix
/// the order in which reductions add, so that results do not depend on the
/// width of a machine's vectors.
constexpr int64_t kSumLanes = 64;
constexpr int64_t kRestLanes = 16;
/// Elements of a chunk of a long row; chunks are summed separately and added in
/// order.
constexpr int64_t kChunk = 4096;
/// Vectors of a long row that a thread of a GPU loads before it needs them, and
/// the most of other rows.
constexpr int64_t kVectorsAhead = 4;

/// The division of the loop along memory.  On a CPU a thread takes 16 elements
/// at a time.  On a GPU a half-warp, 16 threads, does the work of a CPU's
/// thread: it takes 64 elements at a time, and each of its threads 4 of them.
///
///           width  stride  thread
///   CPU     16     16      none
///   GPU     4      64      0 to 15
///
/// If rows are long, several half-warps, a team, share a row: chunk i belongs
/// to member i % team.  If they are short, a half-warp has several, and a part
/// of its threads has each (gpu/HalfWarpRows.h).
struct Lanes {
  int64_t width = kRestLanes;  ///< elements in a vector
  int64_t stride = kRestLanes; ///< elements from one vector to the next
  Value thread;                ///< index in the group, and its vector's
  Value first;                 ///< of the group, in its half-warp; null: 0
  int64_t team = 0;            ///< groups that share a row; 0: each has its own
  Value member;                ///< index of this thread's group in the team

  static Lanes ofHalfWarp(Value thread);
  bool isHalfWarp() const { return static_cast<bool>(thread); }
};

/// Threads of a half-warp, and of a block of a GPU.
constexpr int64_t kHalfWarpThreads = 16;
constexpr int64_t kBlockThreads = 128;
/// Threads of a GPU that have the lanes of the rest.
constexpr int64_t kRestThreads = kRestLanes * kHalfWarpThreads / kSumLanes;
/// The most bytes of shared memory of a block, without asking the driver for
/// more.
constexpr int64_t kMaxSharedBytes = 48 << 10;

inline Lanes Lanes::ofHalfWarp(Value thread) {
  Lanes lanes;
  lanes.width = kSumLanes / kHalfWarpThreads;
  lanes.stride = kSumLanes;
  lanes.thread = thread;
  return lanes;
}

/// Code of vectors.
class VectorCode : public LoopCode {
public:
  VectorCode(OpBuilder &b, Location loc, const Lanes &lanes)
      : LoopCode(b, loc), lanes(lanes) {}

  const Lanes &lanes;

  /// Emits a loop over [lower, upper) in whole vectors, then one masked vector
  /// for the rest.  `body` receives the index of the first lane, the mask (null
  /// for a whole vector) and the carried values; it returns their next values.
  Values forVectors(
      Value lower, Value upper, ArrayRef<Value> carried,
      llvm::function_ref<Values(Value first, Value mask, ArrayRef<Value>)>
          body);
  /// The same, without carried values.
  void forVectors(Value lower, Value upper,
                  llvm::function_ref<void(Value first, Value mask)> body);
  /// The same, but `body` gets up to `ahead` vectors at once.
  void forVectorsAhead(
      Value lower, Value upper, int64_t ahead,
      llvm::function_ref<void(ArrayRef<Value> firsts, Value mask)> body);
  /// Emits a loop over the chunks that a member of a team has of a row up to
  /// `upper`.
  void forTeamChunks(Value upper,
                     llvm::function_ref<void(Value begin, Value end)> body);

  /// The index of this thread's vector, of the half-warp's vectors that begin
  /// at `index`.
  Value firstOf(Value index);
  /// The mask of the lanes of a vector at `first` that lie below `upper`.
  Value maskBelow(Value first, Value upper);

  /// Loads a vector at `indices` of a memref; lanes off the mask are zero.
  /// With `isOnLane` the last index comes from forVectors.
  Value loadVector(Value memref, ValueRange indices, Value mask = {},
                   bool isOnLane = true);
  void storeVector(Value vector, Value memref, ValueRange indices,
                   Value mask = {}, bool isOnLane = true);

  /// A vector of `type`, each lane `value`.
  Value constantVector(Type type, double value);
  /// Combines `x` and `y` by an operation such as `by`.
  Value combine(Operation *by, Value x, Value y);
  /// Combines the lanes of `vector` pairwise, halves first; the order is fixed.
  Value combineLanes(Operation *by, Value vector);
};

/// For a block of threads of a GPU that sums columns (gpu/BlockColumnSums.cpp):
/// its threads form groups of 2, each of which has all columns of the block,
/// and the groups share the rows.
struct RowShare {
  int64_t groups = 0; ///< 0: rows are not shared
  Value group;        ///< this thread's group
  Value memory;       ///< the block's, of unknown size
};

/// The surroundings in which the loops of an operation are emitted.
struct LoopContext {
  Lanes lanes;
  RowShare rowShare;
  /// Whether the threads of a block have its elements side by side.
  bool isByElements = false;
  /// For these and a team: memory that the threads share, of unknown size,
  /// behind their temporaries.
  Value teamMemory;
  /// The indices of the first loops, which are open already (a kernel's row).
  SmallVector<Value> rows;
  /// The loop behind these if a thread has all of its few indices at once
  /// (gpu/HalfWarpRows.h), else -1.
  int together = -1;
  /// Buffers of which only one row exists or is read, with the buffers that
  /// replace them, which are indexed without the rows.
  llvm::SmallDenseMap<Value, Value> rowBuffers;
  /// The one whose buffer has only the first chunks of a row (StagedRows.h),
  /// and how many; null if there is none.
  Value partlyStaged;
  int64_t stagedChunks = 0;
  /// Buffers of which each thread of a half-warp has only its own elements,
  /// side by side.
  llvm::SmallDenseSet<Value> owned;
  /// For column kernels: the range of the contiguous loop.
  Value columnBegin, columnEnd;
};

/// The number of runs that the rows of `op`, a sum of columns (ColumnSums.h),
/// are cut into, and the bytes of a block for the sums of runs; 0 for other
/// operations.
struct ColumnRuns {
  int64_t count = 0, bytes = 0;
};
ColumnRuns getColumnRuns(linalg::LinalgOp op, const LoopContext &context);

/// Bytes in which a team keeps the sums of `op`'s chunks (HalfWarpSums.cpp).
int64_t getTeamBytes(linalg::LinalgOp op, const LoopContext &context);

/// Bytes in which a block keeps values that one thread computes for all.
int64_t getOnceBytes(linalg::LinalgOp op, const LoopContext &context);

/// Emits `op`, whose operands are memrefs, at the builder's position.
void emitVectorLoops(OpBuilder &b, linalg::LinalgOp op,
                     const LoopContext &context);

} // namespace mlir::zero
