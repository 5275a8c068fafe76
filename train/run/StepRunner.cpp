//===- StepRunner.cpp - The programs of one step --------------------------===//
#include "train/run/StepRunner.h"

#include "runtime/plan/PlanTable.h"
#include "runtime/text/Error.h"

#include <string_view>

using namespace zrt;

StepRunner::StepRunner(const zrt_plan &plan, const BatchSource &feed, int rank)
    : plan(plan), feed(feed), rank(rank), inputs(plan) {
  if (plan.accumulate == 0)
    fail("the plan has steps of 0 micro-steps");
  if (plan.layered && (plan.accumulate == 1 || plan.programs[ZRT_MICRO].ops))
    fail("the plan has all micro-steps in one program, and {}",
         plan.accumulate == 1 ? "steps of one"
                              : "a program for those before the last");
  if (plan.accumulate > 1 && !plan.layered && !plan.programs[ZRT_MICRO].ops)
    fail(
        "the plan has steps of {} micro-steps, but no program for those before "
        "the last",
        plan.accumulate);
  const bool leaves = plan.programs[ZRT_FIRST].ops;
  const bool isSeveral = plan.accumulate > 1 && !plan.layered;
  if (leaves != (plan.programs[ZRT_FLUSH].ops != nullptr) ||
      (leaves && isSeveral))
    fail("the plan leaves updates to the next step, and has {}",
         isSeveral ? "several programs in a step"
                   : "no program for the first or the last one");
}

bool StepRunner::delaysUpdates() const {
  return leavesUpdates() && plan.delayed_update;
}

StepRunner::Result StepRunner::run(zrt_context *ctx, int64_t step,
                                   const StepScalars &scalars,
                                   const MicroStepEvent &before) {
  const uint32_t all = plan.accumulate, atOnce = microStepsAtOnce(plan);
  const auto tell = [&](uint32_t done) {
    if (before)
      before(done / atOnce, all / atOnce);
  };
  tell(0);
  batches = 0;
  const StepSum none(plan.virtual_shards != 0);
  std::vector<StepSum> sums(inputs.countMeans(), none);
  if (all > 1 && plan.programs[ZRT_COUNT].ops)
    for (uint32_t k = 0; k < all; k += atOnce) {
      runProgram(ctx, ZRT_COUNT, step, scalars, k, sums);
      inputs.addToSums(ctx, sums);
    }
  if (plan.programs[ZRT_FIRST].ops) {
    StepScalars given = scalars;
    if (pending) {
      given = pending->scalars;
      // These belong to this step's gradients.
      given.lossScale = scalars.lossScale;
      given.normLimit = scalars.normLimit;
      given.lossLimit = scalars.lossLimit;
    }
    given.lossLimit *= all;
    runProgram(ctx, pending ? ZRT_STEP : ZRT_FIRST, step, given, 0, sums);
    pending = {scalars, step};
    pending->scalars.clip = inputs.clip(ctx).value_or(1);
    return {inputs.loss(ctx) / all, inputs.gradNorm(ctx),
            inputs.wasSkipped(ctx, given)};
  }
  StepSum loss = none;
  StepScalars given = scalars;
  for (uint32_t k = 0; k < all; k += atOnce) {
    // A program adds only its own losses: subtract those of earlier programs.
    given.lossLimit = scalars.lossLimit * all - loss.get();
    if (k > 0)
      tell(k);
    runProgram(ctx, k + atOnce < all ? ZRT_MICRO : ZRT_STEP, step, given, k,
               sums);
    loss.add(inputs.loss(ctx));
  }
  return {loss.get() / all, inputs.gradNorm(ctx),
          inputs.wasSkipped(ctx, given)};
}

void StepRunner::flush(zrt_context *ctx) {
  if (!pending)
    return;
  inputs.writeScalars(ctx, pending->scalars);
  if (zrt_run(ctx, ZRT_FLUSH) != 0)
    fail("update of step {}: {}", pending->step, zrt_error_message(ctx));
  pending.reset();
}

void StepRunner::runProgram(zrt_context *ctx, uint32_t program, int64_t step,
                            const StepScalars &scalars, uint32_t first,
                            const std::vector<StepSum> &sums) {
  const auto whereOf = [&](uint32_t microStep) {
    return fmt::format("step {}, micro-step {}", step, microStep);
  };
  const std::string where = plan.accumulate == 1 || plan.layered
                                ? fmt::format("step {}", step)
                                : whereOf(first);
  for (uint32_t micro = 0; micro < microStepsAtOnce(plan); ++micro) {
    const BatchPlace place = {.step = static_cast<uint64_t>(step),
                              .microStep = first + micro,
                              .microSteps = plan.accumulate,
                              .rank = sequenceGroupOf(plan, rank),
                              .ranks = sequenceGroups(plan),
                              .shift = dataShift};
    batches =
        feed.write(ctx, place, micro,
                   plan.layered ? whereOf(first + micro) : where, batches);
  }
  inputs.writeScalars(ctx, scalars);
  inputs.writeMicroStep(ctx, first);
  inputs.writePart(ctx, partOfSequence(plan, rank));
  if (program != ZRT_COUNT)
    inputs.writeMeans(ctx, sums, plan.accumulate);
  if (zrt_run(ctx, program) != 0)
    fail("{}: {}", where, zrt_error_message(ctx));
}
