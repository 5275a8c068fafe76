//===- Sampling.h - Generates tokens after a prompt -------------*- C++ -*-===//
#pragma once

#include "abi/zrt.h"
#include "runtime/world/World.h"
#include "train/generate/PlanDecoder.h"
#include "train/options/Options.h"
#include "train/report/SampleText.h"
#include "train/report/StepHook.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace zrt {

class Logs;
class Progress;
struct Run;

/// Continues a prompt by a plan's programs (PlanDecoder.h), between steps.
///
/// Sample i is slot i mod B of batch i / B, and rank j mod N computes batch j
/// in round j / N.  A sample ends when prompt and sample fill the model's T
/// positions.
class Sampling {
public:
  /// Throws UsageError as checkSampling does.
  Sampling(const zrt_plan &plan, const SampleOptions &options, uint64_t seed,
           int rank);

  /// Returns all samples, on every rank.  All ranks call it together.  Throws
  /// zrt::Error.
  std::vector<Sample> run(zrt_context *ctx, World &world) const;

  /// The logits after each token of the prompt, [tokens, classes], by this
  /// rank's weights: by the program decode, or by prefill, up to `most` tokens
  /// in a run, if that is not 0.  All ranks call it together.  Throws
  /// zrt::Error.
  std::vector<float> promptLogits(zrt_context *ctx, size_t most) const;

  const std::vector<int64_t> &prompt() const { return start; }

private:
  std::vector<Sample> drawBatch(PlanDecoder &decoder, uint64_t first) const;

  const zrt_plan &plan;
  const SampleOptions &options;
  const uint64_t seed;
  const size_t rank;
  std::vector<int64_t> start;
};

/// Shows samples of a run when --sample-every says so, and at its end.
class SamplingHook : public StepHook {
public:
  /// `sampling` is null without --sample.
  SamplingHook(Run &run, const Sampling *sampling, Logs &logs,
               Progress &progress)
      : run(run), sampling(sampling), logs(logs), progress(progress) {}
  void afterStep(StepMetrics &step) override;
  void atEnd() override;

private:
  /// Samples after step `step`; -1: before the first.
  void show(int64_t step) const;

  Run &run;
  const Sampling *const sampling;
  Logs &logs;
  Progress &progress;
};

/// Throws UsageError if `plan` has no programs for samples, or cannot read the
/// prompt.
void checkSampling(const zrt_plan &plan, const SampleOptions &options);

} // namespace zrt
