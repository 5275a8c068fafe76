//===- PlanInputs.h - The scalar inputs and outputs of a plan ---*- C++ -*-===//
#pragma once

#include "abi/zrt.h"
#include "train/data/StepSum.h"

#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace zrt {

/// The scalars that the host passes to a step.
struct StepScalars {
  float lr = 0;
  int64_t update = 0; ///< number of the update, from 0: counts steps that were
                      ///< not skipped
  float lossScale = 1;
  uint64_t rounding = 0; ///< random bits
  float clip = 1; ///< factor for gradients that a later program updates by
  /// A step whose norm or loss is above its limit is skipped; infinite: no
  /// limit.
  double normLimit = std::numeric_limits<double>::infinity();
  double lossLimit = std::numeric_limits<double>::infinity();
};

/// The plan's scalars and outputs, found by name and checked.
class PlanInputs {
public:
  /// Throws zrt::Error for a scalar input with an unknown name.  A scalar that
  /// is named like an output takes the output's mean.
  explicit PlanInputs(const zrt_plan &plan);

  /// Writes those scalars that the plan has; the plan counts updates from 1.
  void writeScalars(zrt_context *ctx, const StepScalars &scalars) const;
  /// Whether the plan scales its loss.
  bool scalesLoss() const { return has("loss_scale"); }
  /// Whether the plan compares a step with limits, and skips it above them.
  bool hasLimits() const { return has("norm_limit") && has("loss_limit"); }

  /// The number of scalars that are means of outputs of ZRT_COUNT in a step.
  size_t countMeans() const { return means.size(); }
  /// Adds the outputs of a run of ZRT_COUNT to `sums`, one for each mean.
  void addToSums(zrt_context *ctx, std::vector<StepSum> &sums) const;
  /// Writes the means: `sums` divided by the micro-steps of a step.
  void writeMeans(zrt_context *ctx, const std::vector<StepSum> &sums,
                  uint32_t microSteps) const;
  /// Writes the number of a micro-step in its step, if the plan wants it.
  void writeMicroStep(zrt_context *ctx, uint32_t number) const;

  /// Writes the number of a rank among those that share its sequences, if the
  /// plan wants it.
  void writePart(zrt_context *ctx, uint64_t part) const;

  /// The factor of zero.clip, if the plan outputs it.  It becomes the
  /// StepScalars::clip of the program that updates by these gradients.
  std::optional<float> clip(zrt_context *ctx) const;
  /// The sum of the losses of a program's micro-steps.
  double loss(zrt_context *ctx) const;
  std::optional<double> gradNorm(zrt_context *ctx) const;
  /// Returns true if the program that ran with `scalars` has skipped its
  /// update; repeats the program's own comparison.
  bool wasSkipped(zrt_context *ctx, const StepScalars &scalars) const;

  /// A sum of losses, each times its weight, and the sum of weights.
  struct WeightedLoss {
    double sum = 0, weight = 0;
  };
  /// Adds the losses of a run of ZRT_EVAL, weighted by the number of targets,
  /// the plan's first count; by 1 if it has none.
  void addLoss(zrt_context *ctx, WeightedLoss &total) const;

private:
  bool has(std::string_view number) const { return numbers.contains(number); }

  /// The f32 scalars of a step, by name.
  std::map<std::string_view, const zrt_input *> numbers;
  const zrt_input *roundingInput = nullptr, *microStepInput = nullptr,
                  *partInput = nullptr;
  /// The outputs of each micro-step of a program, in order.
  using Outputs = std::vector<const zrt_output *>;
  std::vector<std::pair<const zrt_input *, Outputs>> means;
  Outputs lossOutputs;
  Outputs weightOutputs; ///< empty if there is no count
  const zrt_output *normOutput = nullptr, *clipOutput = nullptr;
};

} // namespace zrt
