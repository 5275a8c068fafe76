//===- HalfWarpBuffers.cpp - Temporaries of a half-warp -------------------===//
//
// A temporary is one of three things:
//
//   owned        every operation goes along it in vectors: each thread has the
//                elements of its own vectors, side by side, in registers or in
//                its local memory
//   replicated   every operation uses it as scalars, as the mean of a row: each
//                thread has all of it, and computes it
//   shared       anything else, such as a buffer that is read at an offset:
//                once for the group, in shared memory
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/gpu/threads/HalfWarpBuffers.h"

#include "dialect/zero/BytesText.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/codegen/loops/VectorLane.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

enum class Use { Owned, Replicated, Shared };

/// The use of its buffer that `operand` alone asks for.
Use useOf(OpOperand &operand, const LoopContext &context) {
  auto op = dyn_cast<linalg::LinalgOp>(operand.getOwner());
  if (!op)
    return Use::Shared;
  LaneChoice choice = chooseLane(op, context);
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!choice.vectors)
    return Use::Replicated;
  if (!map.isFunctionOfDim(choice.contiguous))
    return Use::Replicated;
  bool isAtLane = map.getResults().back() ==
                  getAffineDimExpr(choice.contiguous, map.getContext());
  return isAtLane ? Use::Owned : Use::Shared;
}

/// The use that all operands agree on, or Shared.
Use useOf(Value buffer, const LoopContext &context) {
  std::optional<Use> all;
  for (OpOperand &operand : buffer.getUses()) {
    if (!isa<linalg::LinalgOp>(operand.getOwner()))
      return Use::Shared;
    Use use = useOf(operand, context);
    if (all && *all != use)
      return Use::Shared;
    all = use;
    // If one of several results of scalar loops is not replicated, one thread
    // writes all of them.
    auto op = cast<linalg::LinalgOp>(operand.getOwner());
    if (use == Use::Replicated && op.isDpsInit(&operand) &&
        op.getNumDpsInits() > 1 && !chooseLane(op, context).vectors)
      return Use::Shared;
  }
  return all.value_or(Use::Replicated);
}

int64_t bytesOfBuffer(MemRefType type) {
  return llvm::alignTo(type.getNumElements() *
                           llvm::divideCeil(type.getElementTypeBitWidth(), 8),
                       kSharedAlignment);
}

} // namespace

SmallVector<memref::AllocOp> zero::findTemporaries(func::FuncOp kernel) {
  SmallVector<memref::AllocOp> allocs;
  kernel.walk([&](memref::AllocOp alloc) { allocs.push_back(alloc); });
  return allocs;
}

std::pair<MemRefType, bool> zero::typeOfTemporary(memref::AllocOp alloc,
                                                  ArrayRef<int64_t> rows) {
  MemRefType type = alloc.getType();
  bool ofRow = !rows.empty() &&
               type.getRank() >= static_cast<int64_t>(rows.size()) &&
               type.getShape().take_front(rows.size()) == rows &&
               llvm::all_of(alloc->getUsers(), llvm::IsaPred<linalg::LinalgOp>);
  if (ofRow)
    type = MemRefType::get(type.getShape().drop_front(rows.size()),
                           type.getElementType());
  return {type, ofRow};
}

bool zero::isShared(memref::AllocOp alloc, const LoopContext &context) {
  return useOf(alloc.getResult(), context) == Use::Shared;
}

void zero::replaceTemporary(memref::AllocOp alloc, Value buffer, bool ofRow,
                            LoopContext &context) {
  if (ofRow) {
    context.rowBuffers[alloc.getResult()] = buffer;
    return;
  }
  alloc.getResult().replaceAllUsesWith(buffer);
  alloc.erase();
}

void HalfWarpBuffers::place(memref::AllocOp alloc, ArrayRef<int64_t> rows) {
  Use use = useOf(alloc.getResult(), context);
  auto [type, ofRow] = typeOfTemporary(alloc, rows);
  if (use == Use::Shared) {
    shared.push_back({alloc, type, ofRow, bytes});
    bytes += bytesOfBuffer(type);
    return;
  }
  const Lanes &lanes = context.lanes;
  bool isOwned = use == Use::Owned && ofRow;
  if (isOwned) {
    SmallVector<int64_t> shape(type.getShape());
    shape.back() =
        lanes.team > 0
            ? llvm::divideCeil(shape.back(), kChunk * lanes.team) * kChunk *
                  lanes.width / lanes.stride
            : llvm::divideCeil(shape.back(), lanes.stride) * lanes.width;
    type = MemRefType::get(shape, type.getElementType());
  }
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Value own = memref::AllocaOp::create(b, alloc.getLoc(), type,
                                       b.getI64IntegerAttr(kSharedAlignment));
  if (isOwned)
    context.owned.insert(own);
  replaceTemporary(alloc, own, ofRow, context);
}

LogicalResult HalfWarpBuffers::finish(Value arena) {
  if (bytes > kMaxSharedBytes)
    return kernel.emitError("kernel needs temporaries of ")
           << bytesText(bytes) << " that threads share, more than the "
           << bytesText(kMaxSharedBytes)
           << " of a block; store the value by using it in another operation";
  Block &body = kernel.getBody().front();
  kernel->setAttr(kSharedBytesAttr,
                  Builder(kernel.getContext()).getI64IntegerAttr(bytes));
  for (Shared &one : shared) {
    OpBuilder b = OpBuilder::atBlockBegin(&body);
    LoopCode code(b, one.alloc.getLoc());
    Value view = code.viewAs(one.type, arena, code.index(one.offset));
    replaceTemporary(one.alloc, view, one.ofRow, context);
  }
  return success();
}
