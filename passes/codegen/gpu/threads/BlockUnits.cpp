//===- BlockUnits.cpp - Units that a whole block works on -----------------===//

#include "passes/codegen/gpu/threads/BlockUnits.h"

#include "abi/zrt.h"
#include "dialect/zero/Zero.h"
#include "passes/codegen/gpu/threads/HalfWarpBuffers.h"
#include "passes/codegen/gpu/threads/Shuffle.h"
#include "passes/codegen/loops/ColumnSums.h"

using namespace mlir;
using namespace mlir::zero;

/// The most half-warps that share a row: a block has up to 1,024 threads.
static constexpr int64_t kMaxTeam = 64;

static void setBlock(func::FuncOp kernel, int64_t units, int64_t threads) {
  Builder b(kernel.getContext());
  kernel->setAttr(kHalfWarpUnitsAttr, b.getI64IntegerAttr(units));
  kernel->setAttr(kBlockThreadsAttr, b.getI64IntegerAttr(threads));
}

/// A block takes `units`.  Does nothing if no sum is cut into runs, if there
/// are sums of rows, too, or if the kernel has temporaries.
static void shareRows(func::FuncOp kernel, int64_t units,
                      ArrayRef<linalg::LinalgOp> work, LoopContext &context,
                      Value shared) {
  ColumnRuns all;
  for (linalg::LinalgOp op : work) {
    ColumnRuns runs = getColumnRuns(op, context);
    OpBuilder b(op);
    LoopNest nest(b, op, context);
    if (nest.getLane() >= 0 && nest.isReduction(nest.getLane()))
      return;
    all.count = std::max(all.count, runs.count);
    all.bytes = std::max(all.bytes, runs.bytes);
  }
  if (all.count == 0 || all.bytes > kMaxSharedBytes ||
      !findTemporaries(kernel).empty())
    return;
  // A group of threads for each run, in whole warps.
  constexpr int64_t kWidth = kSumLanes / kHalfWarpThreads,
                    kRowThreads = kBlockColumns / kWidth, kWarp = 32,
                    kMostThreads = 512;
  const int64_t threads = std::min<int64_t>(
      kMostThreads, llvm::alignTo<int64_t>(all.count * kRowThreads, kWarp));
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  LoopCode code(b, kernel.getLoc());
  Value thread = context.lanes.thread;
  context.lanes.stride = kBlockColumns;
  context.lanes.thread = code.rem(thread, kRowThreads);
  context.rowShare = {threads / kRowThreads, code.div(thread, kRowThreads),
                      shared};
  setBlock(kernel, units, threads);
}

/// The length of the longest row in vectors; 0 if an operation cannot share
/// rows.
static int64_t getLongestRow(ArrayRef<linalg::LinalgOp> work,
                             const LoopContext &context) {
  int64_t longest = 0;
  for (linalg::LinalgOp op : work) {
    OpBuilder b(op);
    LoopNest nest(b, op, context);
    if (nest.getLane() < 0)
      continue;
    if (nest.findClosed(0, /*reduction=*/true) < nest.getNumLoops())
      return 0;
    longest = std::max(longest, nest.getExtent(nest.getLane()));
  }
  return longest;
}

static void shareLongRows(func::FuncOp kernel, ArrayRef<linalg::LinalgOp> work,
                          LoopContext &context) {
  const int64_t longest = getLongestRow(work, context);
  if (longest <= kChunk)
    return;
  const int64_t chunks = llvm::divideCeil(longest, kChunk),
                rounds = llvm::divideCeil(chunks, kMaxTeam);
  // An even number of half-warps makes whole warps.
  const int64_t team = llvm::alignTo(llvm::divideCeil(chunks, rounds), 2);
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  LoopCode code(b, kernel.getLoc());
  Value thread = context.lanes.thread;
  context.lanes.thread = code.rem(thread, kHalfWarpThreads);
  context.lanes.member = code.div(thread, kHalfWarpThreads);
  context.lanes.team = team;
  setBlock(kernel, /*units=*/1, team * kHalfWarpThreads);
}

/// All threads of a block have its elements side by side.
static void shareElements(func::FuncOp kernel, LoopContext &context) {
  context.lanes.stride = context.lanes.width * kBlockThreads;
  context.isByElements = true;
  setBlock(kernel, ZRT_UPDATE_BLOCK, kBlockThreads);
}

void zero::shareUnits(func::FuncOp kernel, KernelKind kind,
                      ArrayRef<int64_t> space, ArrayRef<linalg::LinalgOp> work,
                      LoopContext &context, Value shared) {
  if (ShapedType::isDynamicShape(space))
    shareElements(kernel, context);
  else if (kind == KernelKind::Columns)
    shareRows(kernel, kBlockColumns, work, context, shared);
  else if (kind == KernelKind::Serial)
    shareRows(kernel, /*units=*/1, work, context, shared);
  else if (kind == KernelKind::Rows)
    shareLongRows(kernel, work, context);
}

void zero::placeTeamMemory(func::FuncOp kernel, ArrayRef<linalg::LinalgOp> work,
                           LoopContext &context, Value shared) {
  int64_t bytes = 0;
  for (linalg::LinalgOp op : work)
    bytes = std::max(bytes, context.rowShare.groups > 0
                                ? getColumnRuns(op, context).bytes
                            : context.isByElements ? getOnceBytes(op, context)
                                                   : getTeamBytes(op, context));
  if (bytes == 0)
    return;
  const int64_t before = getSharedBytes(kernel);
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  // The next group's memory is aligned, too.
  kernel->setAttr(kSharedBytesAttr,
                  b.getI64IntegerAttr(static_cast<int64_t>(
                      llvm::alignTo(before + bytes, kSharedAlignment))));
  if (context.lanes.team == 0 && !context.isByElements)
    return;
  LoopCode code(b, kernel.getLoc());
  context.teamMemory = code.viewAs(MemRefType::get({bytes}, b.getI8Type()),
                                   shared, code.index(before));
}

void zero::emitForBlock(OpBuilder &b, linalg::LinalgOp op,
                        const LoopContext &context) {
  LoopCode code(b, op.getLoc());
  auto emit = [&] { emitVectorLoops(b, op, context); };
  // The first group runs operations that have no rows to share.
  if (context.lanes.team > 0 || getColumnRuns(op, context).count > 0)
    emit();
  else
    code.when(code.isEqual(context.rowShare.group, 0), emit);
  syncBlock(b, code.loc);
}
