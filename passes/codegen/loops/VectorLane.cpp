//===- VectorLane.cpp - Chooses the loop that runs in vectors -------------===//
//
// The loop that walks contiguous memory for most of the operands' bytes runs in
// vectors, if
//
//   it is long enough         half a vector; a column kernel's always is
//   no operand crosses it     each walks along it or does not depend on it; in
//                             a sum no result depends on it, else all do
//   its sums are known        a reduction has an operation with an identity
//   the body is elementwise   or reads memory along the loop
//   elements are whole bytes  vectors of i1 are not; and no integer divisor
//                             could be a lane after the end
//
// An operation that walks some operand across memory (a transpose), or whose
// reduction is not of a known kind, gets scalar loops.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/loops/VectorLane.h"

#include "dialect/zero/KernelUnits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "zero-lower-units-to-loops"

using namespace mlir;
using namespace mlir::zero;

Operation *zero::getCombiner(linalg::LinalgOp op, unsigned i) {
  Block *body = op.getBlock();
  BlockArgument acc = body->getArgument(op.getNumDpsInputs() + i);
  Operation *def = body->getTerminator()->getOperand(i).getDefiningOp();
  // Any other reader of the sum so far would read that of a single lane.
  if (!def || !acc.hasOneUse() || *acc.user_begin() != def ||
      !def->hasOneUse() || def->getNumOperands() != 2)
    return nullptr;
  return def;
}

std::optional<double> zero::getIdentity(Operation *combiner) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (isa<arith::AddFOp>(combiner))
    return 0.0;
  if (isa<arith::MulFOp>(combiner))
    return 1.0;
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(combiner))
    return -infinity;
  if (isa<arith::MinimumFOp, arith::MinNumFOp>(combiner))
    return infinity;
  return std::nullopt;
}

namespace {

/// Whether loop `lane` of `op` can run in vectors.
class LaneAnalysis {
public:
  LaneAnalysis(linalg::LinalgOp op, int lane)
      : op(op), lane(lane), body(op.getBlock()) {}

  bool canVectorize() {
    return operandsFollow() && sumsAreKnown() &&
           llvm::all_of(body->without_terminator(),
                        [&](Operation &inner) { return hasVectorForm(inner); });
  }

private:
  linalg::LinalgOp op;
  int lane;
  Block *body;

  bool isReduction() {
    return op.getIteratorTypesArray()[lane] == utils::IteratorType::reduction;
  }

  bool dependsOnLane(AffineMap map) {
    return map.isFunctionOfDim(static_cast<unsigned>(lane));
  }

  /// Whether the last position, and no other, depends on the lane, as the lane
  /// plus terms that it does not change.
  bool isContiguousIn(Value operand, AffineMap map) {
    AffineExpr last = map.getResults().back();
    AffineExpr rest = simplifyAffineExpr(
        last - getAffineDimExpr(lane, map.getContext()), map.getNumDims(), 0);
    if (rest.isFunctionOfDim(lane) ||
        llvm::any_of(map.getResults().drop_back(), [&](AffineExpr expr) {
          return expr.isFunctionOfDim(lane);
        }))
      return false;
    SmallVector<int64_t> strides;
    int64_t offset;
    return succeeded(cast<MemRefType>(operand.getType())
                         .getStridesAndOffset(strides, offset)) &&
           strides.back() == 1;
  }

  /// Whether a vector of `type` has the memory layout of its elements.
  static bool hasWholeBytes(Type type) {
    return type.isF16() || type.isBF16() || type.isF32() || type.isF64() ||
           type.isInteger(8) || type.isInteger(16) || type.isInteger(32) ||
           type.isInteger(64);
  }

  bool operandsFollow() {
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      if (dependsOnLane(map) &&
          !hasWholeBytes(getElementTypeOrSelf(operand.get().getType())))
        return false;
      if (isa<MemRefType>(operand.get().getType()) && dependsOnLane(map) &&
          !isContiguousIn(operand.get(), map))
        return false;
      if (op.isDpsInit(&operand) && dependsOnLane(map) == isReduction())
        return false;
    }
    return true;
  }

  bool sumsAreKnown() {
    if (isReduction())
      for (unsigned i = 0; i < op.getNumDpsInits(); ++i)
        if (!getCombiner(op, i) || !getIdentity(getCombiner(op, i)))
          return false;
    return true;
  }

  bool hasVectorForm(Operation &inner) {
    if (isa<linalg::IndexOp, arith::ConstantOp>(inner))
      return true;
    // Lanes after the end hold zeros.
    if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
            arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(inner))
      return matchPattern(inner.getOperand(1), m_Constant());
    if (isa<math::FPowIOp>(inner)) // has no vectors of exponents
      return false;
    auto load = dyn_cast<memref::LoadOp>(inner);
    if (!load)
      return OpTrait::hasElementwiseMappableTraits(&inner);
    if (!hasWholeBytes(load.getMemRefType().getElementType()))
      return false;
    for (auto [i, position] : llvm::enumerate(load.getIndices())) {
      bool last = i + 1 == load.getIndices().size();
      auto loop = position.getDefiningOp<linalg::IndexOp>();
      bool onLane = loop && static_cast<int>(loop.getDim()) == lane;
      if (onLane && last)
        continue;
      if (onLane || varies(position))
        return false;
    }
    return true;
  }

  /// Whether `value` differs from lane to lane.
  bool varies(Value value) {
    if (auto arg = dyn_cast<BlockArgument>(value)) {
      if (arg.getOwner() != body)
        return false;
      return dependsOnLane(
          op.getMatchingIndexingMap(&op->getOpOperand(arg.getArgNumber())));
    }
    Operation *def = value.getDefiningOp();
    if (def->getBlock() != body)
      return false;
    if (auto loop = dyn_cast<linalg::IndexOp>(def))
      return static_cast<int>(loop.getDim()) == lane;
    return llvm::any_of(def->getOperands(),
                        [&](Value operand) { return varies(operand); });
  }
};

} // namespace

LaneChoice zero::chooseLane(linalg::LinalgOp op, const LoopContext &context) {
  int lane = contiguousLoop(op);
  // The contiguous loop may be one of the kernel's rows.
  if (lane < static_cast<int>(context.rows.size()))
    return {};
  bool isLong =
      context.columnBegin || op.getStaticLoopRanges()[lane] >= kRestLanes / 2;
  bool vectors = isLong && LaneAnalysis(op, lane).canVectorize();
  LDBG() << op->getName() << " at " << op->getLoc() << ": loop " << lane
         << (vectors ? " in vectors" : " is along memory, and scalar");
  return {lane, vectors};
}
