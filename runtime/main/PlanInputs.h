//===- PlanInputs.h - The numbers of a plan ---------------------*- C++ -*-===//
#pragma once

#include "runtime/zrt.h"

#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace zrt {

/// What the host gives to a step.
struct StepScalars {
  float lr = 0;
  int64_t update = 0; ///< of the weights, from 0: steps that were not skipped
  float lossScale = 1;
  uint64_t rounding = 0; ///< random bits
  float clip = 1; ///< of a step's gradients that a later program updates by
  /// A step is skipped whose norm or loss is above; infinite: none is.
  double normLimit = std::numeric_limits<double>::infinity();
  double lossLimit = std::numeric_limits<double>::infinity();
};

/// The plan's scalars and outputs, found by name and checked.
class PlanInputs {
public:
  /// Throws zrt::Error for a plan with a scalar that this main() does not know.
  /// One named like an output is known: its mean.
  explicit PlanInputs(const zrt_plan &plan);

  /// Writes the scalars that the plan has; updates count from 1 in the plan.
  void writeScalars(zrt_context *ctx, const StepScalars &scalars) const;
  /// Whether the plan scales its loss.
  bool scalesLoss() const { return scaleInput != nullptr; }
  /// Whether the plan compares a step with limits, and skips it above them.
  bool hasLimits() const { return normLimitInput && lossLimitInput; }

  /// How many scalars are means of what ZRT_COUNT counts in a step.
  size_t countMeans() const { return means.size(); }
  /// Adds the outputs of a run of it to `sums`, one for each mean.
  void addToSums(zrt_context *ctx, std::vector<double> &sums) const;
  /// Writes the means: `sums` by the micro-steps of a step.
  void writeMeans(zrt_context *ctx, const std::vector<double> &sums,
                  uint32_t microSteps) const;

  /// The factor of zero.clip, if the plan gives it: what StepScalars::clip is
  /// for the program that updates by these gradients.
  std::optional<float> clip(zrt_context *ctx) const;
  /// The sum over the micro-steps of a program.
  double loss(zrt_context *ctx) const;
  std::optional<double> gradNorm(zrt_context *ctx) const;
  /// Whether the program that was run with these has skipped its update: as it
  /// has compared itself.
  bool wasSkipped(zrt_context *ctx, const StepScalars &scalars) const;

  /// A sum of losses times what they are averaged over.
  struct WeightedLoss {
    double sum = 0, weight = 0;
  };
  /// Adds the losses of a run of ZRT_EVAL; each weighs one where the plan does
  /// not count one thing.
  void addLoss(zrt_context *ctx, WeightedLoss &total) const;

private:
  const zrt_input *lrInput = nullptr, *stepInput = nullptr,
                  *scaleInput = nullptr, *roundingInput = nullptr,
                  *clipInput = nullptr, *normLimitInput = nullptr,
                  *lossLimitInput = nullptr;
  /// Of each micro-step of a program, in order.
  using Outputs = std::vector<const zrt_output *>;
  std::vector<std::pair<const zrt_input *, Outputs>> means;
  Outputs lossOutputs;
  Outputs weightOutputs; ///< empty: none, or several
  const zrt_output *normOutput = nullptr, *clipOutput = nullptr;
};

} // namespace zrt
