//===- StepRunner.h - The programs of one step ------------------*- C++ -*-===//
#pragma once

#include "runtime/main/Feed.h"
#include "runtime/main/PlanInputs.h"
#include "runtime/zrt.h"

#include <cstdint>
#include <optional>

namespace zrt {

/// Runs a step's programs with the batches of one rank:
///
///   K = 1        step(0)
///   K = 3        count(0) count(1) count(2)   micro(0) micro(1) step(2)
///
/// where (k) is micro-step k's batch, and count runs if the plan has it.  What
/// it counts is given to the others as the mean over micro-steps.
///
/// If the plan is layered, a program takes the batches of all micro-steps:
///
///   K = 3        count(0, 1, 2)   step(0, 1, 2)
///
/// If the plan has first, a program leaves its update to the next one:
///
///   first(0)   step(0)   step(0)   ...   flush
///
/// which is given the scalars of the update with the factor of zero.clip.
class StepRunner {
public:
  /// Throws when the plan lacks a program that its micro-steps need.
  StepRunner(const zrt_plan &plan, const Feed &feed, int rank);

  struct Result {
    double loss; ///< the mean over micro-steps
    std::optional<double> gradNorm;
    bool wasSkipped = false; ///< it has changed nothing, or will not
  };
  /// Step `step` of the data, from 0.  Throws zrt::Error with the number of the
  /// step.
  Result run(zrt_context *ctx, int64_t step, const StepScalars &scalars);
  /// Updates by what the last step has left, if it has; then the weights are
  /// those of all steps that were run.  Throws zrt::Error.
  void flush(zrt_context *ctx);

  /// An update that is left to the next program, and the step's number.
  struct Pending {
    StepScalars scalars;
    int64_t step;
  };
  const std::optional<Pending> &pendingUpdate() const { return pending; }
  /// Goes on where a run was that has left this, if the plan leaves updates.
  void resumeWith(const Pending &left) { pending = left; }
  bool leavesUpdates() const { return plan.programs[ZRT_FIRST].ops != nullptr; }
  /// Whether a step computes with the parameters before the update that is left:
  /// then a flush between steps makes all later ones another computation.
  bool delaysUpdates() const;

  /// Step s of the data is another one: what is at position p of a run from the
  /// beginning is at p + `shift`, modulo 2^64.
  void shiftData(uint64_t shift) { dataShift = shift; }

  bool scalesLoss() const { return inputs.scalesLoss(); }
  bool hasLimits() const { return inputs.hasLimits(); }

private:
  /// On the batches of micro-steps from `first` on.  `sums`: the outputs of all
  /// runs of count.
  void runProgram(zrt_context *ctx, uint32_t program, int64_t step,
                  const StepScalars &scalars, uint32_t first,
                  const std::vector<double> &sums) const;

  const zrt_plan &plan;
  const Feed &feed;
  const int rank;
  const PlanInputs inputs;
  uint64_t dataShift = 0;
  std::optional<Pending> pending;
};

} // namespace zrt
