//===- StepRunner.h - The programs of one step ------------------*- C++ -*-===//
#pragma once

#include "abi/zrt.h"
#include "train/data/BatchSource.h"
#include "train/data/PlanInputs.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace zrt {

/// Runs a step's programs with the batches of one rank:
///
///   K = 1        step(0)
///   K = 3        count(0) count(1) count(2)   micro(0) micro(1) step(2)
///
/// where (k) is micro-step k's batch, and count runs if the plan has it.  The
/// other programs get its counts as means over micro-steps.
///
/// If the plan is layered, a program takes the batches of all micro-steps:
///
///   K = 3        count(0, 1, 2)   step(0, 1, 2)
///
/// If the plan has first, a program leaves its update to the next one:
///
///   first(0)   step(0)   step(0)   ...   flush
///
/// The next program gets the scalars of that update and its factor of
/// zero.clip.
class StepRunner {
public:
  /// Throws when the plan lacks a program that its micro-steps need.
  StepRunner(const zrt_plan &plan, const BatchSource &feed, int rank);

  struct Result {
    double loss; ///< the mean over micro-steps
    std::optional<double> gradNorm;
    bool wasSkipped = false; ///< its update changes nothing, now or later
  };
  /// Called before each micro-batch, with the number of those that are done and
  /// that of all; 0 and 1 if one program takes them all.
  using MicroStepEvent = std::function<void(uint32_t done, uint32_t all)>;
  /// Runs step `step`, counted from 0.  Throws zrt::Error with the number of
  /// the step.
  Result run(zrt_context *ctx, int64_t step, const StepScalars &scalars,
             const MicroStepEvent &before = {});
  /// Makes the update that the last step has left, if any; then the weights
  /// include all steps.  Throws zrt::Error.
  void flush(zrt_context *ctx);

  /// The scalars of an update that is left to the next program, and its step.
  struct Pending {
    StepScalars scalars;
    int64_t step;
  };
  const std::optional<Pending> &pendingUpdate() const { return pending; }
  /// Continues a run that has left the update `left`, or none.
  void resumeFrom(const std::optional<Pending> &left) { pending = left; }
  bool leavesUpdates() const { return plan.programs[ZRT_FIRST].ops != nullptr; }
  /// Returns true if a step computes with the parameters before the pending
  /// update.  Then a flush between steps would change the result of all later
  /// steps.
  bool delaysUpdates() const;

  /// Shifts the data: the samples that a run without a shift reads at position
  /// p are now those at p + `shift`, modulo 2^64.
  void shiftData(uint64_t shift) { dataShift = shift; }

  /// A hash of the batches that the last step has read.  Ranks that share
  /// sequences have the same.
  uint64_t batchesHash() const { return batches; }

  bool scalesLoss() const { return inputs.scalesLoss(); }
  bool hasLimits() const { return inputs.hasLimits(); }

private:
  /// Runs `program` on the batches of micro-steps from `first` on.  `sums`: the
  /// sums of the outputs of all runs of count.
  void runProgram(zrt_context *ctx, uint32_t program, int64_t step,
                  const StepScalars &scalars, uint32_t first,
                  const std::vector<StepSum> &sums);

  const zrt_plan &plan;
  const BatchSource &feed;
  const int rank;
  const PlanInputs inputs;
  uint64_t dataShift = 0;
  uint64_t batches = 0; ///< a hash of what the last step has read
  std::optional<Pending> pending;
};

} // namespace zrt
