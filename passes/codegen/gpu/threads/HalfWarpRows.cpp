//===- HalfWarpRows.cpp - Several rows of a half-warp ---------------------===//

#include "passes/codegen/gpu/threads/HalfWarpRows.h"

#include "passes/codegen/gpu/threads/HalfWarpBuffers.h"
#include "passes/codegen/loops/LoopNest.h"

using namespace mlir;
using namespace mlir::zero;

/// The most rows of a thread: what it loads for them is in registers at once.
static constexpr int64_t kMostRows = 4;

/// The number of rows of a thread: those of the last dimension if all
/// operations are elementwise and one reads the same for each of these, else 1.
static int64_t countRows(ArrayRef<int64_t> space,
                         ArrayRef<linalg::LinalgOp> work,
                         const LoopContext &context) {
  if (space.empty() || space.back() > kMostRows)
    return 1;
  bool readsSame = false;
  for (linalg::LinalgOp op : work) {
    const LaneChoice choice = chooseLane(op, context);
    if (!choice.vectors || op.getNumParallelLoops() != op.getNumLoops())
      return 1;
    for (OpOperand *input : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(input);
      readsSame |=
          map.isFunctionOfDim(static_cast<unsigned>(choice.contiguous)) &&
          !map.isFunctionOfDim(static_cast<unsigned>(space.size() - 1));
    }
  }
  return readsSame ? space.back() : 1;
}

/// The fewest threads whose vectors are a row.
static int64_t countThreads(ArrayRef<linalg::LinalgOp> work,
                            const LoopContext &context) {
  int64_t threads = 1, longest = 0;
  for (linalg::LinalgOp op : work) {
    const LaneChoice choice = chooseLane(op, context);
    if (!choice.vectors)
      continue;
    auto loop = static_cast<unsigned>(choice.contiguous);
    longest = std::max(longest, op.getStaticLoopRanges()[loop]);
    if (op.getIteratorTypesArray()[loop] == utils::IteratorType::reduction)
      threads = kRestThreads;
  }
  while (threads < kHalfWarpThreads && threads * context.lanes.width < longest)
    threads *= 2;
  return threads;
}

Value zero::shareHalfWarp(func::FuncOp kernel, ArrayRef<int64_t> space,
                          ArrayRef<linalg::LinalgOp> work, LoopContext &context,
                          Value begin) {
  const SmallVector<memref::AllocOp> temporaries = findTemporaries(kernel);
  const int64_t rows =
      temporaries.empty() ? countRows(space, work, context) : 1;
  int64_t threads = countThreads(work, context);
  // The half-warp has one copy of temporaries that its threads share.
  if (llvm::any_of(temporaries, [&](memref::AllocOp alloc) {
        return isShared(alloc, context);
      }))
    threads = kHalfWarpThreads;
  // Its threads meet in shuffles, so all of them have rows or none.
  while (llvm::product_of(space) % (kHalfWarpThreads / threads * rows) != 0)
    threads *= 2;
  if (threads == kHalfWarpThreads && rows == 1)
    return begin;
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  kernel->setAttr(kHalfWarpUnitsAttr,
                  b.getI64IntegerAttr(kHalfWarpThreads / threads * rows));
  LoopCode code(b, kernel.getLoc());
  Lanes &lanes = context.lanes;
  Value thread = lanes.thread;
  lanes.stride = threads * lanes.width;
  lanes.thread = code.rem(thread, threads);
  lanes.first = code.sub(thread, lanes.thread);
  if (rows > 1) {
    context.rows.pop_back();
    context.together = static_cast<int>(context.rows.size());
  }
  return code.add(begin, code.mul(code.div(thread, threads), rows));
}
