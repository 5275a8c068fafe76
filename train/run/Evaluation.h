//===- Evaluation.h - Computes the loss on other data -----------*- C++ -*-===//
#pragma once

#include "abi/zrt.h"
#include "train/data/Feed.h"
#include "train/data/PlanInputs.h"

#include <cstdint>
#include <string>

namespace zrt {

/// Runs a plan's program eval on --eval-data, between steps.  It changes inputs
/// and outputs only.
///
/// Batch j of rank r consists of the B samples from (j x N + r) x B on, in file
/// order, with N ranks.  The last samples are left out if they do not fill a
/// batch on every rank.
class Evaluation {
public:
  /// Opens the files.  Throws zrt::Error as Feed does, or if there is less than
  /// one batch.
  Evaluation(const zrt_plan &plan, const TrainOptions &options, int rank);

  /// The mean loss over all targets that count, or over batches if the plan has
  /// no count of targets.  Equal on all ranks.  Throws zrt::Error.
  double run(zrt_context *ctx) const;

  /// A line for each file, and one with the share that is read.
  std::string text() const;

private:
  /// The batches of one run of the program, on all ranks.
  uint64_t batchesAtOnce() const;
  uint64_t samplesAtOnce() const;

  const zrt_plan &plan;
  const Feed feed;
  const PlanInputs inputs;
  const uint64_t rank;
  uint64_t runs;
};

/// Throws UsageError if `plan` has no evaluation, or if the given files do not
/// fit.  Opens no file.
void checkEvaluation(const zrt_plan &plan, const TrainOptions &options);

/// Options of a run whose --data and --input are those of the evaluation.
TrainOptions evaluationOptions(const TrainOptions &options);

} // namespace zrt
