//===- Evaluation.cpp - Computes the loss on other data -------------------===//
#include "train/run/Evaluation.h"

#include "abi/Counts.h"
#include "runtime/plan/PlanTable.h"
#include "runtime/system/Clock.h"
#include "runtime/text/Error.h"
#include "train/data/PlanInputs.h"
#include "train/report/Progress.h"
#include "train/report/Report.h"
#include "train/report/StandardStreams.h"
#include "train/run/Run.h"

#include <algorithm>
#include <limits>

using namespace zrt;

/// Options of a run whose --data and --input are those of the evaluation.
static TrainOptions evaluationOptions(const TrainOptions &options) {
  TrainOptions others = options;
  others.data = options.eval.data;
  others.inputs = options.eval.inputs;
  others.sources.clear();
  others.dataPrefix = "eval-";
  others.shuffle = false;
  return others;
}

void zrt::checkEvaluation(const zrt_plan &plan, const TrainOptions &options) {
  if (!options.eval.isWanted())
    return;
  if (!plan.programs[ZRT_EVAL].ops)
    usage("--eval-data: this program has no evaluation; compile the "
          "model with --eval");
  checkGiven(plan, evaluationOptions(options));
}

/// The batches of one run of eval, on all ranks.
static uint64_t batchesAtOnce(const zrt_plan &plan) {
  return microStepsAtOnce(plan) * sequenceGroups(plan);
}

uint64_t zrt::samplesAtOnce(const zrt_plan &plan, const BatchSource &source) {
  return source.samplesPerBatch() * batchesAtOnce(plan);
}

/// Writes the batch of micro-step `micro` of run `i` as that of micro-step `as`
/// of the program.
static void writeBatch(const Run &run, const BatchSource &source, uint64_t i,
                       uint32_t micro, uint32_t as, const std::string &where) {
  const zrt_plan &plan = run.plan;
  (void)source.write(run.context.get(),
                     {.step = i,
                      .microStep = micro,
                      .microSteps = microStepsAtOnce(plan),
                      .rank = sequenceGroupOf(plan, run.world.rank()),
                      .ranks = sequenceGroups(plan),
                      .shift = 0},
                     as, where);
}

double zrt::meanLoss(const Run &run, const BatchSource &source, uint64_t runs) {
  const zrt_plan &plan = run.plan;
  const PlanInputs inputs(plan);
  zrt_context *ctx = run.context.get();
  PlanInputs::WeightedLoss total;
  inputs.writeScalars(ctx, {}); // scalars of gradients; losses do not depend on
                                // them
  inputs.writePart(ctx, partOfSequence(plan, run.world.rank()));
  for (uint64_t i = 0; i < runs; ++i) {
    const std::string where = fmt::format("evaluation, batch {}", i);
    for (uint32_t micro = 0; micro < microStepsAtOnce(plan); ++micro)
      writeBatch(run, source, i, micro, micro, where);
    if (zrt_run(ctx, ZRT_EVAL) != 0)
      fail("{}: {}", where, zrt_error_message(ctx));
    inputs.addLoss(ctx, total);
  }
  return total.weight > 0 ? total.sum / total.weight
                          : std::numeric_limits<double>::quiet_NaN();
}

Evaluation::Evaluation(Run &theRun)
    : run(theRun), plan(theRun.plan),
      feed(theRun.plan, evaluationOptions(theRun.options)),
      measures(theRun.plan) {
  const uint64_t atOnce = samplesAtOnce(plan, feed);
  runs = feed.samples() / atOnce;
  if (runs == 0)
    fail("an evaluation reads {} samples at once, and --eval-data has {}; give "
         "it more",
         atOnce, feed.samples());
  const auto batches = static_cast<uint64_t>(run.options.eval.batches);
  if (batches == 0)
    return;
  if (batches < batchesAtOnce(plan))
    fail("--eval-batches={}: an evaluation reads {} batches at once; give it "
         "as many or more",
         batches, batchesAtOnce(plan));
  runs = std::min(runs, batches / batchesAtOnce(plan));
}

double Evaluation::loss() const { return meanLoss(run, feed, runs); }

std::vector<std::pair<std::string, double>> Evaluation::measure() const {
  std::vector<double> sums(measures.size());
  for (uint64_t i = 0; i < runs && measures.size() > 0; ++i)
    for (uint32_t micro = 0; micro < microStepsAtOnce(plan); ++micro) {
      const std::string where = fmt::format("evaluation, batch {}", i);
      writeBatch(run, feed, i, micro, /*as=*/0, where);
      if (zrt_run(run.context.get(), ZRT_SCORE) != 0)
        fail("{}: {}", where, zrt_error_message(run.context.get()));
      measures.add(run.context.get(), run.world, sums);
    }
  return measures.of(sums);
}

std::string Evaluation::text() const {
  std::string text = feed.text();
  // Changes "data      val.bin, ..." to "evaluate  val.bin, ...".
  for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
    text.replace(at, 10, "evaluate  ");
  const uint64_t read = runs * samplesAtOnce(plan, feed),
                 left = feed.samples() - read,
                 batches = runs * batchesAtOnce(plan);
  text += fmt::format(
      "          {} of them in {}{}\n", withCommas(read),
      plural(batches, "batch", "es"),
      left ? fmt::format("; the last {} are not read", withCommas(left)) : "");
  return text;
}

EvalMetrics Evaluation::evaluate() const {
  run.makeLeftUpdate();
  const auto start = Clock::now();
  EvalMetrics metrics;
  metrics.loss = loss();
  metrics.measures = measure();
  metrics.milliseconds = secondsSince(start) * 1e3;
  metrics.isOfText = run.feed->isOfText() && measures.size() == 0;
  return metrics;
}

void Evaluation::betweenSteps(StepMetrics &next) {
  if (!run.hasNoSteps() || (run.resumed && !run.isOver()))
    return;
  next.evaluatedBefore = evaluate();
  if (!run.quiet)
    say("{}\n", evaluationText(*next.evaluatedBefore, run.counts.done() - 1));
}

void Evaluation::afterStep(StepMetrics &step) {
  if (run.isDue(run.options.eval.every))
    step.evaluated = evaluate();
}
