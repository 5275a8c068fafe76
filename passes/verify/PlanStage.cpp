//===- PlanStage.cpp - State is sharded as the stage says -----------------===//
//
// On one rank all stages are the same program.  On several ranks, (S7) compares
// for each bucket what a rank keeps whole with the stage:
//
//   stage                       0        1        2        3
//   optimizer's slots, master   whole    slice    slice    slice
//   sums of gradients           whole    whole    slice    slice
//   gradients are reduced       in place in place to slice to slice
//   parameters                  whole    whole    whole    slice; whole below
//                                                          persist_below bytes
//
// Gradients that wait for the next step are sharded like the slots.
//
//===----------------------------------------------------------------------===//

#include "passes/verify/Rules.h"

#include "dialect/zero/BucketUse.h"
#include "dialect/zero/PlanPrograms.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

namespace {
class StageClaims {
public:
  StageClaims(ModuleOp plan, OptionsAttr options)
      : plan(plan), options(options), stage(options.getStage()) {}

  LogicalResult judge(ProgramOp program) {
    for (auto &[argument, state, next] : findNextStates(program))
      if (failed(judgeState(program, state, argument.getType())))
        return failure();
    for (auto reduce : program.front().getOps<ReduceScatterOp>())
      if (bool slice = zero::detail::isSlice(reduce.getType());
          slice != (stage >= 2)) // (S7)
        return contradicts(
            reduce,
            slice ? "a result that is the rank's slice alone"
                  : "a result with room for the slices of all ranks",
            options, "--stage");
    return success();
  }

private:
  ModuleOp plan;
  OptionsAttr options;
  int64_t stage;

  /// Bytes of the parameter that `member` is, or whose rows it holds.
  static int64_t bytesOf(BucketOp bucket, MemberAttr member, Type shard) {
    int64_t elements = llvm::product_of(member.getParameterShape());
    if (std::optional<Packing> packing = bucket.getPacking())
      return getPackedBytes(*packing, elements);
    return elements * getElementBytes(shard);
  }

  LogicalResult judgeState(ProgramOp program, StateAttr state, Type type) {
    bool whole = !zero::detail::isSlice(type);
    StringRef slot = state.getSlot();
    auto fails = [&](StringRef option) {
      return contradicts(program,
                         "slot " + slot + " of @" +
                             state.getBucket().getValue() +
                             (whole ? " whole on every rank"
                                    : " cut into a slice of each rank"),
                         options, option);
    };
    if (slot != "param") {
      int64_t first = slot == "grad" && !isRotated(plan) ? 2 : 1;
      if (whole != (stage < first)) // (S7)
        return fails("--stage");
      return success();
    }
    if (stage < 3) { // (S7)
      if (!whole)
        return fails("--stage");
      return success();
    }
    auto bucket = plan.lookupSymbol<BucketOp>(state.getBucket());
    for (auto member : bucket.getMembers().getAsRange<MemberAttr>())
      if (whole !=
          (bytesOf(bucket, member, type) < options.getPersistBelow())) // (S7)
        return fails(whole && options.getPersistBelow() == 0
                         ? "--stage"
                         : "--persist-below");
    return success();
  }
};
} // namespace

LogicalResult judge::judgeStage(ModuleOp plan, OptionsAttr options,
                                int64_t ranks) {
  if (ranks == 1)
    return success();
  StageClaims claims(plan, options);
  for (auto program : plan.getOps<ProgramOp>())
    if (!program.isExternal() && failed(claims.judge(program)))
      return failure();
  return success();
}
