//===- Answers.h - The answers of a driven run as lines ---------*- C++ -*-===//
#pragma once

#include "abi/zrt.h"
#include "train/drive/SampleOnRanks.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace zrt {

/// A step that has been made.
struct MadeStep {
  int64_t done; ///< steps, with this one
  double loss;
  std::optional<double> gradNorm;
  bool wasSkipped;
};

/// Where a run is.
struct DriveState {
  int64_t done;    ///< steps
  uint64_t queued; ///< rows that wait for a step
  std::optional<RequestLimits> prompts;
};

/// Lines without their newlines.  Numbers read back to the same bits; one that
/// is not finite is null.
/// `logprobs` are those of each token of each answer, if they are asked for.
std::string sampleLine(uint64_t id, uint64_t count,
                       std::span<const GivenAnswer> answers,
                       std::span<const std::vector<float>> logprobs);
/// Throws zrt::Error if a value is not finite.
std::string valuesLine(uint64_t id, std::span<const float> values,
                       size_t columns);
std::string forwardBackwardLine(uint64_t id, const MadeStep &step);
std::string stepLine(uint64_t id, const MadeStep &step);
std::string lossLine(uint64_t id, double loss);
/// Of a checkpoint, or one that is loaded after `step` steps.
std::string saveLine(uint64_t id, const std::string &path);
std::string loadLine(uint64_t id, int64_t step);
std::string stateLine(uint64_t id, const zrt_plan &plan,
                      const DriveState &state);

} // namespace zrt
