//===- VectorsAhead.cpp - Vectors that a thread loads at once -------------===//
//
// A thread of a GPU waits for what it loads, so it loads several vectors, or
// those of several rows, before it needs the first:
//
//   for i = 0, 4 x 64, ...
//     a, b, c, d = x[i ..], x[i + 64 ..], x[i + 128 ..], x[i + 192 ..]
//     y[i ..] = f(a), y[i + 64 ..] = f(b), ...
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/loops/LoopNest.h"

using namespace mlir;
using namespace mlir::zero;

int64_t LoopNest::countAhead() {
  // Half of the threads that a GPU can have keep its memory busy with these.
  constexpr int64_t kBytes = 32;
  int64_t bytes = 0;
  for (OpOperand *input : op.getDpsInputOperands())
    if (onLane(*input))
      bytes +=
          lanes.width *
          cast<MemRefType>(input->get().getType()).getElementTypeBitWidth() / 8;
  if (!lanes.isHalfWarp() || isCut(laneLoop) || part.first || bytes == 0)
    return 1;
  const int64_t least = std::min(extents[laneLoop] / lanes.stride,
                                 std::min(kBytes / bytes, kVectorsAhead));
  return std::max<int64_t>(least, 1);
}

void LoopNest::forLaneAhead(int64_t ahead) {
  auto [lower, upper] = getBounds(laneLoop);
  forVectorsAhead(lower, upper, ahead, [&](ArrayRef<Value> firsts, Value mask) {
    emitAhead(laneLoop, firsts, mask);
  });
}

void LoopNest::forTeamAhead() {
  forTeamChunks(getBounds(laneLoop).second, [&](Value begin, Value end) {
    auto emitTo = [&](Value upper) {
      forVectorsAhead(begin, upper, kVectorsAhead,
                      [&](ArrayRef<Value> firsts, Value mask) {
                        emitAhead(laneLoop, firsts, mask);
                      });
    };
    ofChunk(
        div(begin, kChunk), [&] { emitTo(add(begin, kChunk)); },
        [&] { emitTo(end); });
  });
}

void LoopNest::ofChunk(Value number, llvm::function_ref<void()> staged,
                       llvm::function_ref<void()> usual) {
  if (!context.partlyStaged ||
      !llvm::is_contained(op->getOperands(), context.partlyStaged))
    return usual();
  auto inBuffer = [&] {
    isStaged = true;
    staged();
    isStaged = false;
  };
  whenElse(isLess(number, context.stagedChunks), inBuffer, usual);
}

void LoopNest::emitAhead(int loop, ArrayRef<Value> positions, Value mask) {
  SmallVector<std::pair<IRMapping, Values>> loaded;
  for (Value at : positions) {
    open(loop, at);
    loaded.push_back({loadInputs(mask), loadInits(mask)});
  }
  for (auto [at, values] : llvm::zip_equal(positions, loaded)) {
    open(loop, at);
    storeInits(emitBody(values.first, values.second, mask), mask);
  }
  close(loop);
}
