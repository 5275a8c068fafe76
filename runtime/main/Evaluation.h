//===- Evaluation.h - The loss of other data --------------------*- C++ -*-===//
#pragma once

#include "runtime/main/Feed.h"
#include "runtime/main/PlanInputs.h"
#include "runtime/zrt.h"

#include <cstdint>
#include <string>

namespace zrt {

/// Runs a plan's program eval on --eval-data, between steps.  It changes nothing
/// but inputs and outputs.
///
/// Batch j of rank r is samples (j x N + r) x B to B - 1 more, in their order; the
/// last ones, which fill no batch of all ranks, are left out.
class Evaluation {
public:
  /// Opens the files.  Throws zrt::Error as Feed does, or when there is less than
  /// one batch.
  Evaluation(const zrt_plan &plan, const TrainOptions &options, int rank);

  /// The mean over all targets that count; over batches, where the plan does not
  /// count one thing.  Equal on all ranks.  Throws zrt::Error.
  double run(zrt_context *ctx) const;

  /// A line for each file, and how much of it is read.
  std::string text() const;

private:
  /// Of a run of the program, on all ranks.
  uint64_t batchesAtOnce() const;
  uint64_t samplesAtOnce() const;

  const zrt_plan &plan;
  const Feed feed;
  const PlanInputs inputs;
  const uint64_t rank;
  uint64_t runs;
};

/// Throws UsageError where `plan` cannot be evaluated, or not on what is given.
/// Opens no file.
void checkEvaluation(const zrt_plan &plan, const TrainOptions &options);

/// --eval-data, --eval-input and so on as those of a run of their own.
TrainOptions evaluationOptions(const TrainOptions &options);

} // namespace zrt
