//===- PlanDecoder.h - The slots of a plan's programs -----------*- C++ -*-===//
#pragma once

#include "abi/zrt.h"
#include "train/generate/Decoder.h"

#include <vector>

namespace zrt {

/// Runs the programs prefill and decode of a plan, between steps.  They change
/// inputs, outputs and caches only; the caches may share bytes with the step,
/// so that nothing is kept after one.  With several ranks, all of them run the
/// same programs, each with its own slots.
class PlanDecoder final : public Decoder {
public:
  /// Throws zrt::Error if the plan has no such programs, or other inputs.
  PlanDecoder(zrt_context *ctx, const zrt_plan &plan);

  size_t slots() const override { return slotCount; }
  size_t positions() const override { return positionCount; }
  size_t chunk() const override { return chunkSize; }
  size_t vocabulary() const override { return classes; }
  size_t tokenBound() const override;
  std::optional<int32_t> separator() const override;
  size_t keptEvery() const override { return stateDistance; }
  std::span<const float> prefill(std::span<const int32_t> tokens,
                                 std::span<const int32_t> begin,
                                 std::span<const int32_t> count,
                                 std::span<const int32_t> starts) override;
  std::span<const float> decode(std::span<const int32_t> tokens,
                                std::span<const int32_t> begin,
                                std::span<const int32_t> count,
                                std::span<const int32_t> starts) override;

private:
  std::span<const float> run(uint32_t program, const zrt_input &ids,
                             std::span<const int32_t> tokens,
                             std::span<const int32_t> begin,
                             std::span<const int32_t> count,
                             std::span<const int32_t> starts);

  zrt_context *const ctx;
  const zrt_input *begins, *counts, *prompt, *token;
  const zrt_input *document = nullptr; ///< if attention stays in documents
  const zrt_output *logits;
  size_t slotCount, positionCount, chunkSize, classes, stateDistance;
  std::vector<std::byte> ids;
  std::vector<float> values;
};

/// Whether `plan` has programs that continue sequences.
bool canGenerate(const zrt_plan &plan);
/// The tokens that a sequence of `plan` may contain: below this; 0 if unknown.
int64_t tokenBoundOf(const zrt_plan &plan);
/// The most tokens of a sequence of `plan`.
size_t positionsOf(const zrt_plan &plan);
/// The most tokens of a slot in a run of prefill.
size_t chunkOf(const zrt_plan &plan);

} // namespace zrt
