//===- BestEvaluation.cpp - The best evaluation of a run ------------------===//
#include "train/run/BestEvaluation.h"

#include "abi/Counts.h"
#include "runtime/text/Error.h"
#include "train/report/StandardStreams.h"
#include "train/run/Fingerprint.h"

#include <filesystem>

using namespace zrt;

/// "after step 6", of the evaluation with which `steps` steps were done.
static std::string placeOf(int64_t steps) {
  return steps == 0 ? "before step 0" : fmt::format("after step {}", steps - 1);
}

/// Of what an evaluation reads, which may lie in other places.
static uint64_t hashOfEvaluated(const EvalOptions &options) {
  FileFingerprint all;
  if (!options.data.empty())
    all = fingerprintOfFiles(options.data);
  all.add(fingerprintOfInputs(options.inputs));
  all.add(&options.batches, sizeof(options.batches));
  return all.hash;
}

/// That of the checkpoint, or none if the weights that belong to it are lost or
/// other data are evaluated.
static RunPosition::Best bestSoFar(const Run &run) {
  const EvalOptions &options = run.options.eval;
  RunPosition::Best best;
  best.data = hashOfEvaluated(options);
  if (const std::optional<RunPosition::Best> &was = run.best) {
    const bool isOther = was->data != best.data,
               isLost = options.keepsBest && !was->kept;
    if (!isOther && !isLost)
      best = *was;
    else if (was->step >= 0 && run.isFirst)
      complain(fmt::format(
          "{}: warning: the best evaluation so far, that {}, {}; --keep-best "
          "and --patience begin anew",
          run.options.program, placeOf(was->step),
          isOther ? "was of other data or batches" : "was not kept"));
  }
  best.kept = options.keepsBest;
  return best;
}

BestEvaluation::BestEvaluation(Run &theRun)
    : run(theRun), options(theRun.options.eval),
      best(run.best.emplace(bestSoFar(run))) {
  std::error_code error;
  if (isSaved() && run.isFirst &&
      !std::filesystem::exists(run.options.save, error))
    fail("--keep-best: the best evaluation so far is that {}, whose weights "
         "the run of the checkpoint has saved, and there is no {}; name with "
         "--save what that run did, or drop --keep-best",
         placeOf(best.step), run.options.save);
  endIfPatient();
}

void BestEvaluation::betweenSteps(StepMetrics &next) {
  // A resumed run that has no steps evaluates again what it did.
  if (next.evaluatedBefore && !run.resumed)
    add(*next.evaluatedBefore);
}

void BestEvaluation::afterStep(StepMetrics &step) {
  if (step.evaluated)
    add(*step.evaluated);
}

void BestEvaluation::add(const EvalMetrics &metrics) {
  if (metrics.loss < best.loss) { // not if it is no number
    if (options.keepsBest)
      run.checkWeights();
    if (run.divergence)
      return;
    best.step = run.counts.done();
    best.loss = metrics.loss;
    best.since = 0;
    if (isSaved())
      savedWider = !run.weights->save();
    return;
  }
  ++best.since;
  endIfPatient();
}

void BestEvaluation::endIfPatient() {
  isOver = options.patience > 0 && best.since >= options.patience;
  if (isOver)
    run.options.until = run.counts.done();
}

bool BestEvaluation::isSaved() const {
  return options.keepsBest && !run.options.save.empty() && best.step >= 0;
}

std::string BestEvaluation::endText() const {
  std::string text;
  if (isOver)
    text = fmt::format("ended after step {}: {} without a better one, see "
                       "--patience\n",
                       run.counts.done() - 1, plural(best.since, "evaluation"));
  if (best.step >= 0)
    text += fmt::format("best evaluation {}: loss {:.6f}\n", placeOf(best.step),
                        best.loss);
  return text;
}
