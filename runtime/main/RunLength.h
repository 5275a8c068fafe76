//===- RunLength.h - How many steps a run has -------------------*- C++ -*-===//
#pragma once

#include "runtime/checkpoint/Manifest.h"

#include <cstdint>
#include <string>

namespace zrt {

/// `step` is an f32 in the plan: beyond 2^24 it would stand still.
constexpr int64_t kMaxSteps = int64_t{1} << 24;

/// A run that reads `samples` samples `epochs` times, `perStep` in a step.  A step
/// may lie across the end of an epoch.  The run ends with the last step that the
/// samples fill: what is left is less than a step, and no sample is read more than
/// `epochs` times.
struct EpochLength {
  int64_t epochs;
  uint64_t samples, perStep;

  /// From the beginning, or where another run was, which may have read other
  /// numbers of samples in a step.  Throws zrt::Error where it is beyond the
  /// end, where there is no step, and where there are more than kMaxSteps.
  int64_t steps(const RunPosition &from = {}) const;
  /// "2 of 1,000 samples: 166 steps of 12; the last 8 are not read".
  std::string text(const RunPosition &from = {}) const;

private:
  /// After `from`.
  uint64_t samplesLeft(const RunPosition &from) const;
};

} // namespace zrt
