//===- StagedRows.cpp - Long rows in shared memory ------------------------===//
//
//   for piece = thread, + threads, ...      pieces of 16 bytes
//     start to copy the piece               cp.async: all are on their way
//   wait; barrier
//   the kernel's operations, which read the row in shared memory
//
// If a row does not fit, only its first chunks are copied.  Then one block runs
// on a processor, so the other chunks of all rows that are in work fit into L2.
//
// Results may have the bytes of an operand: its row has been read before they
// are written.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/gpu/threads/StagedRows.h"

#include "passes/codegen/gpu/threads/HalfWarpBuffers.h"
#include "passes/codegen/gpu/threads/Shuffle.h"
#include "passes/codegen/gpu/threads/Warp.h"
#include "passes/codegen/loops/VectorLane.h"

using namespace mlir;
using namespace mlir::zero;

/// Bytes of a copy.
static constexpr int64_t kPieceBytes = 16;
/// The smallest team whose rows are staged: where fewer threads share a row,
/// so few rows would fit on a multiprocessor that it had too few threads.
static constexpr int64_t kSmallestTeam = 8;
/// The same for a part of a row, which leaves room for one block only.
static constexpr int64_t kSmallestTeamOfParts = 32;

/// The bytes of a row if `operand` has one for each index of the rows, and all
/// begin at multiples of a piece; else 0.
static int64_t getRowBytes(Value operand, const LoopContext &context) {
  auto type = dyn_cast<MemRefType>(operand.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type || type.getRank() != int64_t(context.rows.size()) + 1 ||
      !type.hasStaticShape() ||
      failed(type.getStridesAndOffset(strides, offset)) || offset != 0 ||
      strides.back() != 1)
    return 0;
  const int64_t size = type.getElementTypeBitWidth() / 8;
  for (int64_t stride : ArrayRef(strides).drop_back())
    if (ShapedType::isDynamic(stride) || stride * size % kPieceBytes != 0)
      return 0;
  return type.getShape().back() * size;
}

/// The number of operations that go along the rows of `operand`; 0 if one
/// writes there, or reads anything else than the open row.
static int64_t countReads(Value operand, ArrayRef<linalg::LinalgOp> work,
                          const LoopContext &context) {
  int64_t reads = 0;
  for (linalg::LinalgOp op : work)
    for (OpOperand &use : op->getOpOperands()) {
      if (use.get() != operand)
        continue;
      AffineMap map = op.getMatchingIndexingMap(&use);
      for (auto [i, index] :
           llvm::enumerate(map.getResults().take_front(context.rows.size())))
        if (index != getAffineDimExpr(unsigned(i), map.getContext()))
          return 0;
      if (op.isDpsInit(&use))
        return 0;
      const LaneChoice choice = chooseLane(op, context);
      reads +=
          choice.vectors && map.isFunctionOfDim(unsigned(choice.contiguous));
    }
  return reads;
}

void StagedRows::place(func::FuncOp kernel, ArrayRef<linalg::LinalgOp> work,
                       LoopContext &context, Value shared, int64_t limit) {
  if (context.lanes.team < kSmallestTeam)
    return;
  int64_t end = getSharedBytes(kernel);
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  LoopCode code(b, kernel.getLoc());
  for (linalg::LinalgOp op : work)
    for (Value operand : op.getDpsInputs()) {
      const int64_t bytes = getRowBytes(operand, context);
      if (bytes == 0 || context.rowBuffers.contains(operand) ||
          countReads(operand, work, context) < 2)
        continue;
      auto type = cast<MemRefType>(operand.getType());
      const int64_t size = type.getElementTypeBitWidth() / 8,
                    chunks = (limit - end) / (kChunk * size);
      int64_t room = int64_t(llvm::alignTo(bytes, kPieceBytes));
      if (end + room > limit) {
        if (context.lanes.team < kSmallestTeamOfParts || chunks == 0 ||
            context.partlyStaged)
          continue;
        context.partlyStaged = operand;
        context.stagedChunks = chunks;
        room = chunks * kChunk * size;
      }
      const int64_t copied = std::min(bytes, room);
      context.rowBuffers[operand] =
          code.viewAs(MemRefType::get({copied / size}, type.getElementType()),
                      shared, code.index(end));
      staged.push_back({operand, end, copied});
      end += room;
    }
  kernel->setAttr(kSharedBytesAttr, b.getI64IntegerAttr(end));
}

void StagedRows::copy(OpBuilder &b, Location loc,
                      const LoopContext &context) const {
  if (staged.empty())
    return;
  LoopCode code(b, loc);
  const int64_t threads = context.lanes.team * kHalfWarpThreads;
  Value thread = code.add(context.lanes.thread,
                          code.mul(context.lanes.member, kHalfWarpThreads));
  for (const Row &row : staged) {
    auto type = cast<MemRefType>(row.operand.getType());
    SmallVector<int64_t> strides;
    int64_t offset;
    (void)type.getStridesAndOffset(strides, offset);
    Value first =
        memref::ExtractAlignedPointerAsIndexOp::create(b, loc, row.operand);
    for (auto [at, stride] : llvm::zip(context.rows, strides))
      first = code.add(
          first, code.mul(at, stride * type.getElementTypeBitWidth() / 8));
    code.loop(code.mul(thread, kPieceBytes), code.index(row.bytes),
              threads * kPieceBytes, {},
              [&](Value piece, ArrayRef<Value>) -> Values {
                Value left = code.sub(code.index(row.bytes), piece),
                      bytes = row.bytes % kPieceBytes == 0
                                  ? code.index(kPieceBytes)
                                  : code.min(left, kPieceBytes);
                startCopy(b, loc, code.toI32(piece), row.offset,
                          code.add(first, piece), code.toI32(bytes));
                return {};
              });
  }
  callWarp(b, loc, kWaitForCopies, {});
  syncBlock(b, loc);
}
