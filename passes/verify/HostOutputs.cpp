//===- HostOutputs.cpp - What the host reads after each program -----------===//
//
// The host finds outputs by name, and goes on without one that is not there: then
// it sees no step that was skipped, or weighs all batches alike.  So it is no
// matter of taste which outputs a program has.  This is the whole list:
//
//   output      of                        without it
//   ---------------------------------------------------------------------------
//   loss        @step, @first, @eval      (V14)
//               @micro if of @step        a loss of some micro-steps
//   grad_norm   what has a zero.clip      no step is ever skipped, and a loss scale
//                                         never falls
//   clip        what leaves a gradient    the next update has the factor of another
//               pending                   step (its scalar says so: HostInterface)
//   count0 ...  @count if a scalar is     no mean of it (HostInterface)
//               called so
//               @eval, all that the       all batches weigh alike (V14)
//               model averages over
//   logits      @predict                  nothing to draw from (V14)
//
// The other way round, what the host reads after @step is written by it.
//
//===----------------------------------------------------------------------===//

#include "passes/verify/HostOutputs.h"

#include "dialect/zero/PlanPrograms.h"

using namespace mlir;
using namespace mlir::zero;

static bool hasOutput(ProgramOp program, StringRef name) {
  for (unsigned i = 0, e = program.getNumResults(); i != e; ++i)
    if (auto output = program.getOutput(i); output && output == name)
      return true;
  return false;
}

/// Those of one rank, too.
static SmallVector<ProgramOp> findAll(ModuleOp module) {
  SmallVector<ProgramOp> all;
  for (auto program : module.getOps<ProgramOp>())
    if (!program.isExternal())
      all.push_back(program);
  return all;
}

/// What is said of `name` in `program` is not there, or too much.
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
  for (ProgramOp program : findAll(module)) {
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
