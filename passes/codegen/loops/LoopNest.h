//===- LoopNest.h - The loops around one operation, and its body ----------===//
#pragma once

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "passes/codegen/loops/VectorLane.h"

namespace mlir::zero {

/// The loops of an operation while they are emitted: the open ones with their
/// current indices, and the operation's body at these indices.
class LoopNest {
public:
  LoopNest(linalg::LinalgOp op, const LoopContext &context);

  linalg::LinalgOp getOp() const { return op; }
  Location getLoc() const { return loc; }
  int getNumLoops() const { return static_cast<int>(extents.size()); }
  int64_t getExtent(int loop) const { return extents[loop]; }
  /// The loop in vectors, or -1.
  int getLane() const { return lane; }
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
  bool isOpen(int loop) const { return static_cast<bool>(index[loop]); }
  /// The current index of an open loop.
  Value getIndex(int loop) const { return index[loop]; }
  /// The first loop from `loop` on that is a reduction (or none, if not
  /// `reduction`) and is neither open nor the lane; the number of loops if
  /// there is none.
  int findClosed(int loop, bool reduction) const;

  void open(int loop, Value at) { index[loop] = at; }
  void close(int loop) { index[loop] = nullptr; }

  std::pair<Value, Value> getBounds(OpBuilder &b, int loop) const;
  Value constantIndex(OpBuilder &b, int64_t value) const;
  /// `count` indices from `first` on, `step` apart.
  SmallVector<Value> positionsFrom(OpBuilder &b, Value first, int64_t count,
                                   int64_t step) const;
  Value asVector(OpBuilder &b, Value value) const;
  const Lanes &getLanes() const { return context.lanes; }
  const RowShare &getRowShare() const { return context.rowShare; }
  Value getTeamMemory() const { return context.teamMemory; }

  /// Emits the vector loop without carried values.
  void forLane(OpBuilder &b,
               llvm::function_ref<void(OpBuilder &, Value mask)> emit);

  /// Emits loop `loop`, which carries `values`; `emit` returns the next ones.
  SmallVector<Value> forCarried(
      OpBuilder &b, int loop, ArrayRef<Value> values,
      llvm::function_ref<SmallVector<Value>(OpBuilder &, ArrayRef<Value>)>
          emit);

  /// The same, without carried values.
  void forEach(OpBuilder &b, int loop,
               llvm::function_ref<void(OpBuilder &)> emit) {
    forCarried(b, loop, {}, [&](OpBuilder &inner, ArrayRef<Value>) {
      emit(inner);
      return SmallVector<Value>();
    });
  }

  /// The element, or the vector, of an operand at the open indices.
  Value load(OpBuilder &b, OpOperand &operand, Value mask);
  void store(OpBuilder &b, OpOperand &operand, Value value, Value mask);
  /// Loads every init; null where the body does not read it and no loop carries
  /// it.
  SmallVector<Value> loadInits(OpBuilder &b, Value mask);
  void storeInits(OpBuilder &b, ArrayRef<Value> values, Value mask);

  /// Whether each thread of a group has a copy of the operand; on a CPU always.
  bool isReplicated(OpOperand &operand);
  /// Emits work that is done once: by all threads of a group if `every`, else
  /// by the first.
  void onOneThread(OpBuilder &b, bool every,
                   llvm::function_ref<void(OpBuilder &)> emit);

  /// Loads and arithmetic that only depend on open loops.
  void hoistInvariants(OpBuilder &b);
  /// Body values that no closed loop changes.
  IRMapping invariant;

  /// The values that the body yields at the open indices.
  SmallVector<Value> emitBody(OpBuilder &b, ArrayRef<Value> accumulators,
                              Value mask);

private:
  linalg::LinalgOp op;
  const LoopContext &context;
  Location loc;
  Block *body;
  SmallVector<int64_t> extents;
  SmallVector<utils::IteratorType> iterators;
  SmallVector<Value> index;     ///< current, of each open loop
  int contiguous;               ///< the loop along memory, or -1
  int lane;                     ///< the same if it is in vectors, or -1
  std::pair<Value, Value> part; ///< the lane's bounds; null: all of it

  Value placeOfOwn(OpBuilder &b, Value element) const;
  SmallVector<Value> indicesOf(OpBuilder &b, OpOperand &operand);
  Value bufferOf(OpOperand &operand) const;
  bool onLane(OpOperand &operand);
  /// Whether the last index of an operand on the lane is the lane's index
  /// itself.
  bool isAtLane(OpOperand &operand);
  Value emitIndex(OpBuilder &b, linalg::IndexOp loop) const;
  Value emitLoad(OpBuilder &b, memref::LoadOp access, IRMapping &map,
                 Value mask);
  void emitBodyOp(OpBuilder &b, Operation &inner, IRMapping &map, Value mask);
};

/// Whether a sum along the lanes is cut into sums of kChunk elements, added in
/// order.
bool isLongRow(const LoopNest &nest);
/// Sums along the lanes themselves.
void emitRowSums(OpBuilder &b, LoopNest &nest);
/// The same, by a group of threads.
void emitGroupSums(OpBuilder &b, LoopNest &nest);

} // namespace mlir::zero
