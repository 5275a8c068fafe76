//===- SpikeGuard.h - Limits for losses and norms of steps ------*- C++ -*-===//
//
// A damaged batch causes a loss or a gradient norm far above those of the steps
// before it, and its update can undo days of training.  So the guard skips a
// step whose loss or norm is above
//
//   mean + sigmas * max(standard deviation, mean / 100)
//
// computed from the losses, or the norms, of the last `window` steps that were
// not skipped.  There is no limit before the guard has seen kFirst such steps
// (or a whole window, if that is less).  Limits are known before the step, and
// the step's own program compares.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "train/state/checkpoint/Manifest.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace zrt {

class SpikeGuard {
public:
  static constexpr int64_t kWindow = 128, kFirst = 32;

  struct Options {
    double sigmas = 0; ///< 0: there is no guard
    int64_t window = kWindow;
  };

  struct Limits {
    double loss = std::numeric_limits<double>::infinity();
    double norm = std::numeric_limits<double>::infinity();
  };

  /// The values of past steps, for a checkpoint.
  using State = RunPosition::Guard;

  explicit SpikeGuard(const Options &options) : options(options) {}

  bool isOn() const { return options.sigmas > 0; }
  /// The limits for the next step; infinite if there is none.
  const Limits &limits() const { return now; }
  /// Records a step that was not skipped.
  void add(double loss, double norm);
  void countSpike() { ++seen.spikes; }
  int64_t spikes() const { return seen.spikes; }

  const State &state() const { return seen; }
  /// Continues with `state`; of a longer window, keeps the newest values.
  void resumeFrom(const State &state);

private:
  void update();
  double limitOf(const std::vector<double> &values) const;

  Options options;
  State seen;
  Limits now;
};

} // namespace zrt
