//===- SpikeGuard.h - Which steps are too bad to be true --------*- C++ -*-===//
//
// A damaged batch shows as a loss or a gradient norm far above those of the
// steps before it, and its update can undo days of training.  So a step is
// skipped that lies above
//
//   mean + sigmas * max(standard deviation, mean / 100)
//
// of the last `window` steps that were not skipped: of losses, and of norms.
// The guard says nothing before it has seen kFirst of them (or a whole window,
// if that is less).  Limits are known before the step, and the step itself
// compares.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/checkpoint/Manifest.h"

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

  /// What it has seen, to go on elsewhere.
  using State = RunPosition::Guard;

  explicit SpikeGuard(const Options &options) : options(options) {}

  bool isOn() const { return options.sigmas > 0; }
  /// Of the next step; infinite where nothing is limited.
  const Limits &limits() const { return now; }
  /// A step that was not skipped.
  void add(double loss, double norm);
  void countSpike() { ++seen.spikes; }
  int64_t spikes() const { return seen.spikes; }

  const State &state() const { return seen; }
  /// Of another window its newest part counts.
  void goOnFrom(const State &state);

private:
  void update();
  double limitOf(const std::vector<double> &values) const;

  Options options;
  State seen;
  Limits now;
};

} // namespace zrt
