//===- HostOutputs.cpp - Outputs that the host needs from programs --------===//
//
// The host finds outputs by name and goes on without a missing one: it would
// then notice no skipped step, or weigh all batches alike.  So programs must
// have these outputs:
//
//   output      program                   effect if it is missing
//   ---------------------------------------------------------------------------
//   loss        @step, @first, @eval      (V14)
//               @micro if @step has it    the loss of some micro-steps only
//   grad_norm   any with a zero.clip      no step is ever skipped, and the loss
//                                         scale never falls
//   clip        any that leaves a         the next update has the factor of
//               gradient pending          another step (HostInterface.cpp
//                                         checks its scalar)
//   count0 ...  @count if a scalar has    no mean of it (HostInterface.cpp)
//               this name
//               @eval, each number that   all batches weigh alike (V14)
//               the model averages over
//   logits      @prefill, @decode         nothing to sample from (V14)
//   values      @score                    nothing to write (V14)
//
// Conversely, @step has every output that the host reads after it.  What it
// reads from attributes of inputs is in HostInterface.cpp.
//
//===----------------------------------------------------------------------===//

#include "passes/verify/Rules.h"

#include "dialect/zero/PlanPrograms.h"

using namespace mlir;
using namespace mlir::zero;

static bool hasOutput(ProgramOp program, StringRef name) {
  for (unsigned i = 0, e = program.getNumResults(); i != e; ++i)
    if (auto output = program.getOutput(i); output && output == name)
      return true;
  return false;
}

/// Checks that `program` has the output `name` if and only if it should, given
/// those of `step`.
static LogicalResult judgeAgainstStep(ProgramOp program, ProgramOp step,
                                      StringRef name) {
  bool has = hasOutput(program, name);
  if (getProgramName(program) == "micro" && name == "loss" && !has &&
      hasOutput(step, name)) // (S5)
    return program.emitOpError("has no output \"loss\", and @step has (S5); "
                               "the host adds them up");
  if (getProgramName(program) == "first" &&
      has != hasOutput(step, name)) // (S5)
    return program.emitOpError("has ")
           << (has ? "output \"" : "no output \"") << name
           << "\", unlike @step (S5); the host reads the same of both";
  if (has && name != kClipFactor && !hasOutput(step, name)) // (S5)
    return program.emitOpError("has output \"")
           << name
           << "\", and @step has none (S5); the host reads it after @step";
  return success();
}

LogicalResult judge::judgeHostOutputs(ModuleOp module) {
  auto step = module.lookupSymbol<ProgramOp>("step");
  for (auto program : module.getOps<ProgramOp>()) { // also those of one rank
    if (program.isExternal())
      continue;
    for (StringRef name :
         {StringRef("loss"), StringRef("grad_norm"), StringRef(kClipFactor)})
      if (step && failed(judgeAgainstStep(program, step, name)))
        return failure();
    auto clips = program.getBody().getOps<ClipOp>();
    if (!clips.empty() && !hasOutput(program, "grad_norm")) // (S5)
      return program.emitOpError("has a zero.clip and no output \"grad_norm\" "
                                 "(S5); by the norm the host sees whether the "
                                 "step was skipped");
  }
  return success();
}
