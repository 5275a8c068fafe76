//===- LoopNest.h - The loops around one operation, and its body ----------===//
#pragma once

#include "mlir/IR/IRMapping.h"
#include "passes/codegen/loops/VectorLane.h"

namespace mlir::zero {

/// The loops of an operation while they are emitted: the open ones with their
/// current indices, and the operation's body at these indices.
class LoopNest : public VectorCode {
public:
  LoopNest(OpBuilder &b, linalg::LinalgOp op, const LoopContext &context);

  linalg::LinalgOp getOp() const { return op; }
  int getNumLoops() const { return static_cast<int>(extents.size()); }
  int64_t getExtent(int loop) const { return extents[loop]; }
  /// The loop in vectors, or -1.
  int getLane() const { return laneLoop; }
  /// The loop whose indices a thread has together, or -1.
  int getTogether() const { return context.together; }
  /// Whether a loop does only a part of its indices, as columns do.
  bool isCut(int loop) const {
    return context.columnBegin && loop == contiguous;
  }
  /// Limits the vector loop to [begin, end) from here on; null restores all of
  /// it.
  void cutLane(Value begin, Value end) { part = {begin, end}; }

  bool isReduction(int loop) const {
    return iterators[loop] == utils::IteratorType::reduction;
  }
  bool isOpen(int loop) const { return static_cast<bool>(current[loop]); }
  /// The current index of an open loop.
  Value getIndex(int loop) const { return current[loop]; }
  /// The first loop from `loop` on that is a reduction (or none, if not
  /// `reduction`) and is neither open nor the lane nor that whose indices a
  /// thread has together; the number of loops if there is none.
  int findClosed(int loop, bool reduction) const;

  void open(int loop, Value at) { current[loop] = at; }
  void close(int loop) { current[loop] = nullptr; }

  std::pair<Value, Value> getBounds(int loop);
  /// `count` indices from `first` on, `step` apart.
  Values positionsFrom(Value first, int64_t count, int64_t step);
  Value asVector(Value value);
  const RowShare &getRowShare() const { return context.rowShare; }
  Value getTeamMemory() const { return context.teamMemory; }

  /// Emits the vector loop without carried values.
  void forLane(llvm::function_ref<void(Value mask)> emit);
  /// The vectors that a thread loads before it stores the first.
  int64_t countAhead();
  /// Emits the body at each vector, `ahead` of which are loaded at once.
  void forLaneAhead(int64_t ahead);
  /// The same for the chunks of a thread of a team.
  void forTeamAhead();
  /// Emits the body at each of `positions` of `loop`; loads all before it
  /// stores the first.
  void emitAhead(int loop, ArrayRef<Value> positions, Value mask);
  /// Emits code for chunk `number` of a row: `staged` if the row buffer of an
  /// operand has only the first chunks, and this is one of them, else `usual`.
  void ofChunk(Value number, llvm::function_ref<void()> staged,
               llvm::function_ref<void()> usual);
  /// Emits loop `loop`, which carries `values`; `emit` returns the next ones.
  Values forCarried(int loop, ArrayRef<Value> values,
                    llvm::function_ref<Values(ArrayRef<Value>)> emit);
  /// The same, without carried values.
  void forEach(int loop, llvm::function_ref<void()> emit);
  /// Opens the reduction loops from `loop` on, which carry `values`; inside
  /// them `emit` returns the next ones.
  Values forReductions(int loop, ArrayRef<Value> values,
                       llvm::function_ref<Values(ArrayRef<Value>)> emit);

  /// The element, or the vector, of an operand at the open indices.
  Value load(OpOperand &operand, Value mask);
  void store(OpOperand &operand, Value value, Value mask);
  /// Loads every init; null where the body does not read it and no loop carries
  /// it.
  Values loadInits(Value mask);
  void storeInits(ArrayRef<Value> values, Value mask);

  /// Whether each thread of a half-warp has a copy of the operand; on a CPU
  /// always.
  bool isReplicated(OpOperand &operand);
  /// Emits work that is done once: by all threads of a half-warp if `every`,
  /// else by the first.
  void onOneThread(bool every, llvm::function_ref<void()> emit);

  /// Emits loads and arithmetic that only depend on open loops.
  void hoistInvariants();
  /// Body values that no closed loop changes.
  IRMapping invariant;
  /// Operations of the body that only depend on open loops, in its order.
  SmallVector<Operation *> findInvariants();

  /// The invariants, and the inputs of the body at the open indices.
  IRMapping loadInputs(Value mask);
  /// The values that the body yields at the open indices, for these inputs.
  Values emitBody(IRMapping inputs, ArrayRef<Value> accumulators, Value mask);
  Values emitBody(ArrayRef<Value> accumulators, Value mask) {
    return emitBody(loadInputs(mask), accumulators, mask);
  }

private:
  linalg::LinalgOp op;
  const LoopContext &context;
  Block *body;
  SmallVector<int64_t> extents;
  SmallVector<utils::IteratorType> iterators;
  Values current;               ///< the index of each open loop
  int contiguous;               ///< the loop along memory, or -1
  int laneLoop;                 ///< the same if it is in vectors, or -1
  std::pair<Value, Value> part; ///< the lane's bounds; null: all of it
  bool isStaged = false;        ///< in code of a chunk that ofChunk() names
  llvm::SmallDenseSet<Operation *> hoisted; ///< operations of the body

  /// Whether an input has one element while the open loops are.
  bool isInvariant(OpOperand &operand);

  Value placeOfOwn(Value element);
  Values indicesOf(OpOperand &operand);
  /// The buffer that has the operand's row; null if there is none.
  Value rowBufferOf(OpOperand &operand) const;
  Value bufferOf(OpOperand &operand) const;
  bool onLane(OpOperand &operand);
  /// Whether the last index of an operand on the lane is the lane's index
  /// itself.
  bool isAtLane(OpOperand &operand);
  Value emitIndex(linalg::IndexOp loop);
  Value emitLoad(memref::LoadOp access, IRMapping &map, Value mask);
  void emitBodyOp(Operation &inner, IRMapping &map, Value mask);
};

/// Whether a sum along the lanes is cut into sums of kChunk elements, added in
/// order.
bool isLongRow(const LoopNest &nest);
/// Emits the operations `once`, of `invariants`, on one thread of a block; the
/// others receive what they compute.
void emitOnce(LoopNest &nest, ArrayRef<Operation *> once);
/// Those of `invariants` that emitOnce shall have: arithmetic in f64, and what
/// depends on it.
SmallVector<Operation *> findOnce(ArrayRef<Operation *> invariants);
/// Sums along the lanes themselves.
void emitRowSums(LoopNest &nest);
/// The same, by a half-warp.
void emitHalfWarpSums(LoopNest &nest);

} // namespace mlir::zero
