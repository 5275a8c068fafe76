//===- UnitLoops.cpp - The outer loop of a row kernel ---------------------===//
//
// A bufferized kernel is a list of linalg operations on memrefs.  For "rows"
// all of them run for one row before the next row begins, so what passes
// between them stays in cache, and a temporary needs the bytes of one row:
//
//   %t = memref.alloc()   : memref<4x32xf32>  %t = memref.alloca()
//   linalg.generic ... outs(%t)           =>  scf.for %row = %begin to %end {
//   linalg.generic ins(%t) ...                  loops of the first for that row
//                                               loops of the second likewise
//                                             }
//
// FormKernels guarantees that every operation indexes temporaries by the row.
//
//===----------------------------------------------------------------------===//

#include "dialect/zero/BytesText.h"
#include "passes/codegen/KernelCode.h"
#include "passes/codegen/gpu/threads/BlockUnits.h"
#include "passes/codegen/gpu/threads/HalfWarpBuffers.h"
#include "passes/codegen/gpu/threads/HalfWarpRows.h"
#include "passes/codegen/gpu/threads/Shuffle.h"
#include "passes/codegen/gpu/threads/StagedRows.h"
#include "passes/codegen/loops/VectorLoops.h"

#include "dialect/zero/KernelUnits.h"
#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

/// Temporaries beyond this size do not belong on a thread's stack.
constexpr int64_t kMaxStackBytes = 1 << 20;

int64_t temporaryBytes(MemRefType type) {
  return type.getNumElements() *
         llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

/// Places the temporaries of a half-warp.
LogicalResult placeForHalfWarp(func::FuncOp kernel, ArrayRef<int64_t> rows,
                               LoopContext &context, Value shared) {
  HalfWarpBuffers buffers(kernel, context);
  for (memref::AllocOp alloc : findTemporaries(kernel))
    buffers.place(alloc, rows);
  return buffers.finish(shared);
}

/// Puts temporaries on the stack; those indexed by the row shrink to one row.
LogicalResult placeTemporaries(func::FuncOp kernel, ArrayRef<int64_t> rows,
                               LoopContext &context) {
  int64_t total = 0;
  for (memref::AllocOp alloc : findTemporaries(kernel)) {
    auto [type, ofRow] = typeOfTemporary(alloc, rows);
    total += temporaryBytes(type);
    if (total > kMaxStackBytes)
      return alloc.emitError("kernel needs temporaries of ")
             << bytesText(total) << ", more than the "
             << bytesText(kMaxStackBytes)
             << " that fit on a thread's stack; store the value by using it in "
                "another operation";
    OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
    Value stack = memref::AllocaOp::create(b, alloc.getLoc(), type,
                                           b.getI64IntegerAttr(64));
    replaceTemporary(alloc, stack, ofRow, context);
  }
  return success();
}

/// Sets the indices of the rows that are open to those of `unit`.
void openRows(LoopCode &code, Value unit, ArrayRef<int64_t> space,
              LoopContext &context) {
  if (context.together >= 0)
    unit = code.div(unit, space.back());
  for (size_t i = context.rows.size(); i > 1; --i) {
    context.rows[i - 1] = code.rem(unit, space[i - 1]);
    unit = code.div(unit, space[i - 1]);
  }
  if (!context.rows.empty())
    context.rows.front() = unit;
}

} // namespace

LogicalResult zero::emitUnitLoops(func::FuncOp kernel, KernelKind kind,
                                  ArrayRef<int64_t> space,
                                  const UnitArguments &units,
                                  int64_t sharedLimit) {
  Block &body = kernel.getBody().front();
  Location loc = kernel.getLoc();
  auto [thread, shared, begin, end] = units;
  const bool isHalfWarp = static_cast<bool>(thread);

  LoopContext context;
  bool rows = kind == KernelKind::Rows;
  ArrayRef<int64_t> rowSpace = rows ? space : ArrayRef<int64_t>();
  // chooseLane only tests that these are set.
  context.rows.assign(rowSpace.size(), begin);
  if (isHalfWarp) {
    context.lanes = Lanes::ofHalfWarp(thread);
    if (kind == KernelKind::Columns)
      context.columnBegin = begin;
  }
  SmallVector<linalg::LinalgOp> work;
  for (Operation &op : body)
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      work.push_back(linalgOp);
  StagedRows staged;
  Value first = begin;
  if (isHalfWarp) {
    shareUnits(kernel, kind, space, work, context, shared);
    if (rows && !isBlock(context))
      first = shareHalfWarp(kernel, space, work, context, begin);
    if (failed(placeForHalfWarp(kernel, rowSpace, context, shared)))
      return failure();
    placeTeamMemory(kernel, work, context, shared);
    staged.place(kernel, work, context, shared, sharedLimit);
  } else if (failed(placeTemporaries(kernel, rowSpace, context))) {
    return failure();
  }

  OpBuilder b(body.getTerminator());
  LoopCode code(b, loc);
  if (isHalfWarp && kind != KernelKind::Columns) {
    // A half-warp has one unit, or all of its rows, or nothing.
    b = scf::IfOp::create(b, loc, code.isBelow(begin, end),
                          /*withElseRegion=*/false)
            .getThenBodyBuilder();
  } else if (rows) {
    auto loop = scf::ForOp::create(b, loc, begin, end, code.index(1));
    b.setInsertionPointToStart(loop.getBody());
    first = loop.getInductionVar();
  } else if (kind == KernelKind::Columns) {
    context.columnBegin = begin;
    context.columnEnd = end;
  }
  if (rows) {
    openRows(code, first, space, context);
    staged.copy(b, loc, context);
  }
  for (linalg::LinalgOp op : work) {
    if (isBlock(context)) {
      emitForBlock(b, op, context);
      continue;
    }
    emitVectorLoops(b, op, context);
    if (isHalfWarp && work.size() > 1)
      syncHalfWarp(b, loc);
  }
  for (linalg::LinalgOp op : work)
    op->erase();
  for (auto [buffer, row] : context.rowBuffers)
    if (auto temporary = buffer.getDefiningOp<memref::AllocOp>())
      temporary.erase();
  return success();
}
