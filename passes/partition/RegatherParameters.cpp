//===- RegatherParameters.cpp - Drops parameters between far uses ---------===//
//
// The uses of a gather, in program order, are cut wherever other gathers of
// more than the reuse distance are used in between:
//
//   uses of @b0   *  *                        *
//   others              @b1 @b2 ... @b2 @b1
//                 '----'                      '  gathered anew
//
// Each part but the first gets its own gather, before its first use, and its
// own copies of the operations that only name bytes (views, reshapes).
//
//===----------------------------------------------------------------------===//

#include "passes/partition/Passes.h"

#include "dialect/zero/Storage.h"
#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::zero {
#define GEN_PASS_DEF_REGATHERPARAMETERS
#include "passes/partition/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

namespace {

/// An operation that reads a gathered parameter, and where.
struct Use {
  unsigned position;
  OpOperand *operand;
};

class Regather {
public:
  Regather(func::FuncOp function, int64_t reuseDistance)
      : function(function), reuseDistance(reuseDistance) {}

  void run() {
    unsigned position = 0;
    for (Operation &op : function.getBody().front())
      positions[&op] = position++;
    readers.resize(position);
    SmallVector<AllGatherOp> gathers;
    for (auto gather : function.getBody().front().getOps<AllGatherOp>())
      if (!gather.isInPlace())
        gathers.push_back(gather);
    SmallVector<SmallVector<Use>> uses(gathers.size());
    for (auto [g, gather] : llvm::enumerate(gathers)) {
      collect(gather.getResult(), uses[g]);
      llvm::sort(uses[g], [](const Use &a, const Use &b) {
        return std::pair(a.position, a.operand->getOperandNumber()) <
               std::pair(b.position, b.operand->getOperandNumber());
      });
      bytes.push_back(getByteSize(gather.getResult().getType()));
      for (const Use &use : uses[g])
        readers[use.position].push_back(g);
    }
    for (auto [g, gather] : llvm::enumerate(gathers))
      cut(g, gather, uses[g]);
  }

private:
  func::FuncOp function;
  int64_t reuseDistance;
  DenseMap<Operation *, unsigned> positions;
  /// By position: the gathers that are used there.
  std::vector<SmallVector<size_t, 1>> readers;
  SmallVector<int64_t> bytes;

  void collect(Value value, SmallVector<Use> &uses) {
    for (OpOperand &use : value.getUses())
      if (isa<ViewOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
              use.getOwner()))
        collect(use.getOwner()->getResult(0), uses);
      else
        uses.push_back({positions.lookup(use.getOwner()), &use});
  }

  /// Bytes of the other gathers that are used between two positions.
  int64_t distance(size_t mine, unsigned from, unsigned to) {
    llvm::SmallDenseSet<size_t> others;
    int64_t sum = 0;
    for (unsigned at = from + 1; at < to; ++at)
      for (size_t g : readers[at])
        if (g != mine && others.insert(g).second)
          sum += bytes[g];
    return sum;
  }

  void cut(size_t g, AllGatherOp gather, ArrayRef<Use> uses) {
    IRMapping copies;
    bool isCopy = false;
    for (size_t i = 0; i < uses.size(); ++i) {
      if (i > 0 && distance(g, uses[i - 1].position, uses[i].position) >
                       reuseDistance) {
        OpBuilder b(uses[i].operand->getOwner());
        copies.clear();
        isCopy = true;
        auto again = cast<AllGatherOp>(b.clone(*gather));
        copies.map(gather.getResult(), again.getResult());
        at = again;
      }
      if (isCopy)
        uses[i].operand->set(rebuild(uses[i].operand->get(), copies));
    }
  }
  Operation *at = nullptr; ///< what the next copy goes behind

  /// `value`, made from the copied gather.
  Value rebuild(Value value, IRMapping &copies) {
    if (Value known = copies.lookupOrNull(value))
      return known;
    Operation *def = value.getDefiningOp();
    rebuild(def->getOperand(0), copies);
    OpBuilder b(function.getContext());
    b.setInsertionPointAfter(at);
    at = b.clone(*def, copies);
    return copies.lookup(value);
  }
};

struct RegatherParametersPass
    : zero::impl::RegatherParametersBase<RegatherParametersPass> {
  using RegatherParametersBase::RegatherParametersBase;

  void runOnOperation() override {
    if (reuseDistance < 0) {
      getOperation().emitError("reuse-distance=")
          << reuseDistance.getValue() << "; use a number of bytes";
      return signalPassFailure();
    }
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function->hasAttr(kKernelAttr) && !function.isExternal())
        Regather(function, reuseDistance).run();
  }
};

} // namespace
