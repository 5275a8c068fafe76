//===- RunLength.h - Computes the number of steps of --epochs ---*- C++ -*-===//
#pragma once

#include "train/state/checkpoint/Manifest.h"

#include <cstdint>
#include <string>

namespace zrt {

/// The plan's `step` is an f32, which cannot count beyond 2^24.
constexpr int64_t kMaxSteps = int64_t{1} << 24;

/// A run that reads `samples` samples `epochs` times, `perStep` in a step.  A
/// step may cross the end of an epoch.  The run ends with the last step that
/// the samples fill; it leaves fewer than `perStep` samples, and reads no
/// sample more than `epochs` times.
struct EpochLength {
  int64_t epochs;
  uint64_t samples, perStep;

  /// The steps of the run in all, if it continues from `from`, which may have
  /// read other numbers of samples per step.  Throws zrt::Error if `from` is
  /// beyond the end, if no step fits, or if there are more than kMaxSteps.
  int64_t steps(const RunPosition &from = {}) const;
  /// "2 of 1,000 samples: 166 steps of 12; the last 8 are not read".
  std::string text(const RunPosition &from = {}) const;

private:
  /// The samples to read after `from`.
  uint64_t samplesLeft(const RunPosition &from) const;
};

} // namespace zrt
