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

/// Bytes of the parameter that `member` is, or whose rows it holds.
static int64_t bytesOfParameter(BucketOp bucket, MemberAttr member,
                                Type shard) {
  int64_t elements = llvm::product_of(member.getParameterShape());
  if (std::optional<Packing> packing = bucket.getPacking())
    return getPackedBytes(*packing, elements);
  return elements * getElementBytes(shard);
}

static LogicalResult judgeKept(ProgramOp program, StateAttr state, Type type,
                               OptionsAttr options) {
  auto plan = program->getParentOfType<ModuleOp>();
  bool whole = !zero::detail::isSlice(type);
  StringRef slot = state.getSlot();
  auto judge = [&](bool expected, StringRef option) -> LogicalResult {
    if (whole == expected) // (S7)
      return success();
    return contradicts(
        program,
        "slot " + slot + " of @" + state.getBucket().getValue() +
            (whole ? " whole on every rank" : " cut into a slice of each rank"),
        options, option);
  };
  int64_t stage = options.getStage();
  if (slot != "param")
    return judge(stage < (slot == "grad" && !isRotated(plan) ? 2 : 1),
                 "--stage");
  if (stage < 3)
    return judge(true, "--stage");
  auto bucket = plan.lookupSymbol<BucketOp>(state.getBucket());
  int64_t least = options.getPersistBelow();
  for (auto member : bucket.getMembers().getAsRange<MemberAttr>())
    if (failed(judge(bytesOfParameter(bucket, member, type) < least,
                     whole && least == 0 ? "--stage" : "--persist-below")))
      return failure();
  return success();
}

static LogicalResult judgeStageOf(ProgramOp program, OptionsAttr options) {
  for (auto &[argument, state, next] : findNextStates(program))
    if (failed(judgeKept(program, state, argument.getType(), options)))
      return failure();
  for (auto reduce : program.front().getOps<ReduceScatterOp>())
    if (bool slice = zero::detail::isSlice(reduce.getType());
        slice != (options.getStage() >= 2)) // (S7)
      return contradicts(reduce,
                         slice ? "a result that is the rank's slice alone"
                               : "a result with room for the slices of all "
                                 "ranks",
                         options, "--stage");
  return success();
}

LogicalResult judge::judgeStage(ModuleOp plan, OptionsAttr options,
                                int64_t ranks) {
  if (ranks > 1)
    for (auto program : plan.getOps<ProgramOp>())
      if (!program.isExternal() && failed(judgeStageOf(program, options)))
        return failure();
  return success();
}
