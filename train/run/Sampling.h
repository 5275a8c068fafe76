//===- Sampling.h - Generates tokens after a prompt -------------*- C++ -*-===//
#pragma once

#include "abi/zrt.h"
#include "runtime/world/World.h"
#include "train/options/Options.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace zrt {

/// Tokens after the prompt; fewer than requested if logits were not finite.
using Sample = std::vector<int64_t>;

/// Runs a plan's program predict, between steps.  It changes inputs and outputs
/// only.
///
/// Sample i is row i mod B of batch i / B, and rank j mod N computes batch j in
/// round j / N.  A run of the program adds one token to each sample of a round.
/// The model reads the last T tokens of a sample, where T is its number of
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
  /// rank's weights.  All ranks call it together.  Throws zrt::Error.
  std::vector<float> promptLogits(zrt_context *ctx) const;

  const std::vector<int64_t> &prompt() const { return start; }
  uint64_t classes() const;

private:
  /// Runs the program on `sequences`; row r predicts the token after position
  /// at[r] of sequence r.  Rows beyond the sequences repeat the last one.
  void predict(zrt_context *ctx,
               const std::vector<std::span<const int64_t>> &sequences,
               const std::vector<int32_t> &at) const;
  /// The logits of row `row` after the last run.
  std::vector<float> logitsOf(zrt_context *ctx, size_t row) const;
  std::vector<Sample> drawBatch(zrt_context *ctx, uint64_t first) const;
  /// The logits of the tokens that a sequence may contain.
  std::span<const float> drawable(const std::vector<float> &logits) const;

  const SampleOptions &options;
  const uint64_t seed;
  const size_t rank;
  const zrt_input *tokens, *position;
  const zrt_output *logits;
  std::vector<int64_t> start;
};

/// Throws UsageError if `plan` has no program predict, or cannot read the
/// prompt.
void checkSampling(const zrt_plan &plan, const SampleOptions &options);

} // namespace zrt
