//===- CheckedTraining.cpp - Training for the device check ----------------===//
#include "train/run/DeviceCheck.h"

#include "runtime/plan/PlanTable.h"
#include "runtime/system/Clock.h"
#include "runtime/text/Error.h"
#include "train/check/ComparedDevice.h"
#include "train/data/SeededInputs.h"
#include "train/report/Report.h"
#include "train/report/StepTimes.h"
#include "train/run/Evaluation.h"
#include "train/run/Run.h"
#include "train/run/Sampling.h"
#include "train/run/Weights.h"
#include "train/schedule/RandomBits.h"

#include <cmath>
#include <sstream>

using namespace zrt;
using namespace zrt::check;

namespace {

constexpr int64_t kSteps = 10;
/// Small enough for any model on random data, and for f16.
constexpr float kRate = 1e-4f, kLossScale = 1024;

/// A training run on seeded data.
class CheckedTraining {
public:
  CheckedTraining(const zrt_plan &plan, const TrainOptions &given, World &world,
                  const PlanContext::Starter &starter = zrt_start)
      : data(plan, given.seed, kSteps * samplesPerStep(plan),
             samplesPerStep(plan)),
        run(plan, withData(given, plan, data), world, given.program) {
    run.open();
    run.context.start(run.options, starter);
    Weights(plan, run.options, world, get(), run.runner->delaysUpdates())
        .initialize();
  }

  StepRunner::Result step() {
    const auto start = Clock::now();
    const auto result =
        run.runner->run(get(), done,
                        {.lr = kRate,
                         .update = done,
                         .lossScale = run.runner->scalesLoss() ? kLossScale : 1,
                         .rounding = roundingBits(run.options.seed, done)});
    ++done;
    // The first steps also load code and build graphs.
    if (done > 3)
      times.add(secondsSince(start) * 1e3);
    return result;
  }

  /// Runs the programs that are not part of a step.
  void runOthers() {
    run.runner->flush(get());
    if (run.plan.programs[ZRT_EVAL].ops) {
      const Evaluation evaluation(run);
      (void)evaluation.loss();
      (void)evaluation.measure();
    }
    if (canGenerate(run.plan)) {
      SampleOptions sample;
      sample.count = 1;
      sample.tokens = 1;
      sample.ids = {0};
      (void)Sampling(run.plan, sample, run.options.seed, run.world.rank())
          .run(get(), run.world);
    }
  }

  zrt_context *get() { return run.context.get(); }
  /// The median time of steps, and how many tokens or samples that is.
  Finding speed() const {
    const double milliseconds = times.quantile(0.5),
                 rate = run.unitsPerStep() * 1e3 / milliseconds;
    return {Verdict::Measured,
            "median step",
            fmt::format("{:.2f} ms, {:.0f} {}/s of all ranks", milliseconds,
                        rate, run.feed->unit()),
            {{"milliseconds", milliseconds}, {"per_second", rate}},
            true};
  }

private:
  static TrainOptions withData(TrainOptions options, const zrt_plan &plan,
                               const SeededInputs &data) {
    options.inputs = options.eval.inputs = data.inputs();
    options.eval.batches =
        int64_t(microStepsAtOnce(plan) * sequenceGroups(plan));
    return options;
  }

  const SeededInputs data;
  Run run;
  StepTimes times;
  int64_t done = 0;
};

/// The losses and norms of ten steps.
using Curve = std::vector<double>;

Curve train(CheckedTraining &run) {
  Curve curve;
  for (int64_t i = 0; i < kSteps; ++i) {
    const StepRunner::Result result = run.step();
    curve.push_back(result.loss);
    curve.push_back(result.gradNorm.value_or(0));
  }
  return curve;
}

Finding compareCurves(const Curve &first, const Curve &second) {
  Finding finding;
  finding.what =
      fmt::format("{} steps, twice: losses and norms of gradients", kSteps);
  for (size_t i = 0; i < first.size(); ++i) {
    const char *what = i % 2 == 0 ? "loss" : "norm";
    if (std::isfinite(first[i]) && first[i] == second[i])
      continue;
    finding.verdict = Verdict::Fails;
    finding.found =
        std::isfinite(first[i])
            ? fmt::format("the {} of step {} is {:.9g}, then {:.9g}", what,
                          i / 2, first[i], second[i])
            : fmt::format("the {} of step {} is {}", what, i / 2, first[i]);
    return finding;
  }
  const double begin = first[0], end = first[first.size() - 2];
  finding.found =
      fmt::format("the same bits; loss {:.6f} to {:.6f}", begin, end);
  finding.numbers = {{"first_loss", begin}, {"last_loss", end}};
  return finding;
}

/// The arena is allocated with the certificate's size; drivers and their
/// libraries use the rest.
Finding memoryOf(zrt_context *ctx) {
  const uint64_t arena = zrt_arena_bytes(ctx, ZRT_DEVICE);
  Finding finding = {Verdict::Measured, "memory of the device", "", {}, true};
  finding.numbers = {{"certificate_bytes", double(arena)}};
  finding.found = fmt::format("the certificate's {}", withUnit(arena));
  if (const std::optional<uint64_t> all = bytesInUse(ctx)) {
    if (*all < arena) {
      finding.verdict = Verdict::Fails;
      finding.found += fmt::format(", but only {} are in use", withUnit(*all));
    } else {
      finding.found += fmt::format(
          ", and {} that drivers, libraries and other programs have",
          withUnit(*all - arena));
    }
    finding.numbers.emplace_back("used_bytes", double(*all));
  }
  return finding;
}

/// The device's own notes.
Section notesOf(zrt_context *ctx) {
  Section section = {"device", "as it says", {}};
  std::istringstream notes(zrt_report(ctx, ZRT_NOTE));
  for (std::string note; std::getline(notes, note);)
    section.findings.push_back({Verdict::Measured, note, "", {}, true});
  return section;
}

} // namespace

void zrt::compareOperations(const zrt_plan &plan, const TrainOptions &options,
                            World &world, std::vector<Section> &sections) {
  Comparisons shown;
  const auto addTo = [&] {
    for (Section &section : shown.sections())
      sections.push_back(std::move(section));
  };
  try {
    {
      CheckedTraining run(
          plan, options, world,
          [&](zrt_context *ctx, const zrt_setup *setup, zrt_world *peers) {
            return startCompared(ctx, setup, peers, shown);
          });
      sections.push_back(notesOf(run.get()));
      run.step();
      // Some plans make an update in the next step.
      if (plan.programs[ZRT_FIRST].ops)
        run.step();
      run.runOthers();
      world.barrier(); // until all ranks have come this far
    }
    world.barrier(); // until all have released the memory that they share
  } catch (...) {
    addTo();
    throw;
  }
  addTo();
}

Section zrt::trainTwice(const zrt_plan &plan, const TrainOptions &options,
                        World &world) {
  Section section = {"training", "on seeded data", {}};
  const auto once = [&](bool isLast) {
    Curve curve;
    {
      CheckedTraining run(plan, options, world);
      curve = train(run);
      if (isLast) {
        section.findings.push_back(run.speed());
        section.findings.push_back(memoryOf(run.get()));
      }
      world.barrier(); // until all ranks have come this far
    }
    world.barrier(); // until all have released the memory that they share
    return curve;
  };
  const Curve first = once(false), second = once(true);
  section.findings.insert(section.findings.begin(),
                          compareCurves(first, second));
  return section;
}
