//===- Sampling.h - What a model goes on with -------------------*- C++ -*-===//
#pragma once

#include "runtime/main/Options.h"
#include "runtime/world/World.h"
#include "runtime/zrt.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace zrt {

/// Tokens after the prompt; fewer than asked for where logits were not finite.
using Sample = std::vector<int64_t>;

/// Runs a plan's program predict, between steps.  It changes nothing but inputs and
/// outputs.
///
/// Sample i is row i mod B of batch i / B, and batch j is rank j mod N's in run j / N:
/// one token of all of them takes one run.  A model reads the last T tokens, where
/// there are more than its T positions.
class Sampling {
public:
  /// Throws UsageError as checkSampling does.
  Sampling(const zrt_plan &plan, const SampleOptions &options, uint64_t seed,
           int rank);

  /// The samples, on all ranks, which call it together.  Throws zrt::Error.
  std::vector<Sample> run(zrt_context *ctx, World &world) const;

  /// The logits after each token of the prompt, [tokens, classes], of this rank's
  /// weights; all ranks call it together.  Throws zrt::Error.
  std::vector<float> promptLogits(zrt_context *ctx) const;

  const std::vector<int64_t> &prompt() const { return start; }
  uint64_t classes() const;

private:
  /// Runs the program on sequences, of which row r is wanted after its token
  /// at[r]; a row that no sequence has repeats the last.
  void predict(zrt_context *ctx,
               const std::vector<std::span<const int64_t>> &sequences,
               const std::vector<int32_t> &at) const;
  /// Of row `row` after the last run.
  std::vector<float> logitsOf(zrt_context *ctx, size_t row) const;
  std::vector<Sample> drawBatch(zrt_context *ctx, uint64_t first) const;
  /// Those of them that can be the next token of a sequence.
  std::span<const float> drawable(const std::vector<float> &logits) const;

  const SampleOptions &options;
  const uint64_t seed;
  const size_t rank;
  const zrt_input *tokens, *position;
  const zrt_output *logits;
  std::vector<int64_t> start;
};

/// Throws UsageError where `plan` gives no samples, or not of this prompt.
void checkSampling(const zrt_plan &plan, const SampleOptions &options);

} // namespace zrt
