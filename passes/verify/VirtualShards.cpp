//===- VirtualShards.cpp - Sums in the tree of virtual shards -------------===//
//
// (S7) compares a plan with --virtual-shards=V, which says that the bits do not
// depend on the number of ranks:
//
//   * V is ranks x micro-steps, and a power of two;
//   * reductions and all_reduces add as trees, and otherwise none does; the one
//     of squares goes by slices, since that is the order of segments;
//   * reductions give f32, so that a sum is not rounded where another plan does
//     not round it, and only the last one scales;
//   * squares are those of V / ranks segments of a slice.
//
// (V13) checks the trees over micro-steps and segments.
//
//===----------------------------------------------------------------------===//

#include "passes/verify/Rules.h"

#include "dialect/zero/PlanPrograms.h"
#include "passes/verify/Diagnostics.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

static LogicalResult judgeSums(ProgramOp program, OptionsAttr options,
                               int64_t ranks, int64_t microSteps) {
  constexpr StringLiteral kOption = "--virtual-shards";
  const int64_t shards = options.getVirtualShards();
  for (Operation &op : program.front()) {
    auto wrong = [&](const Twine &has) {
      return contradicts(&op, has, options, kOption); // (S7)
    };
    if (auto reduce = dyn_cast<ReduceScatterOp>(op)) {
      if (reduce.getTree() != (shards != 0))
        return wrong(reduce.getTree() ? "a sum in a tree"
                                      : "a sum in the order of ranks");
      if (shards && !getElementType(reduce.getType()).isF32())
        return wrong("a sum that is rounded to 16 bits");
      const bool isLast = microSteps == 1 && reduce.getOver() != Over::Members;
      if (shards && reduce.getScale().convertToDouble() !=
                        (isLast ? 1.0 / double(shards) : 1.0))
        return wrong("a scale in another place of the tree");
    } else if (auto all = dyn_cast<AllReduceOp>(op)) {
      const bool ofSquares = all.getValue().getDefiningOp<TotalOp>();
      if (all.getTree() != (shards != 0))
        return wrong(all.getTree() ? "a sum in a tree"
                                   : "a sum in the order of ranks");
      if (shards && all.getBySlice() != ofSquares)
        return wrong("a tree of ranks in another order");
    } else if (auto squares = dyn_cast<SumSquaresOp>(op)) {
      const int64_t expected = shards ? shards / ranks : 1;
      if (int64_t(squares.getSegments()) != expected)
        return wrong("squares of " + Twine(squares.getSegments()) +
                     " segments of a slice, not " + Twine(expected));
    }
  }
  return success();
}

LogicalResult judge::judgeVirtualShards(ModuleOp plan, OptionsAttr options,
                                        int64_t ranks) {
  const int64_t shards = options.getVirtualShards(),
                microSteps = getMicroSteps(plan);
  if (shards != 0 &&
      (shards != ranks * microSteps || !llvm::isPowerOf2_64(uint64_t(shards))))
    return contradicts(
        plan, Twine(ranks) + " ranks of " + Twine(microSteps) + " micro-steps",
        options, "--virtual-shards"); // (S7)
  for (auto program : plan.getOps<ProgramOp>())
    if (!program.isExternal() &&
        failed(judgeSums(program, options, ranks, microSteps)))
      return failure();
  return success();
}
