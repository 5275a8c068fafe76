//===- SpikeGuard.cpp - Limits for losses and norms of steps --------------===//
#include "train/schedule/SpikeGuard.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace zrt;

/// Removes all values but the newest `count`.
static void keepNewest(std::vector<double> &values, int64_t count) {
  if (int64_t(values.size()) > count)
    values.erase(values.begin(), values.end() - count);
}

void SpikeGuard::add(double loss, double norm) {
  if (!isOn())
    return;
  seen.losses.push_back(loss);
  seen.norms.push_back(norm);
  update();
}

void SpikeGuard::resumeFrom(const State &state) {
  if (!isOn())
    return;
  seen = state;
  update();
}

void SpikeGuard::update() {
  keepNewest(seen.losses, options.window);
  keepNewest(seen.norms, options.window);
  now = {limitOf(seen.losses), limitOf(seen.norms)};
}

double SpikeGuard::limitOf(const std::vector<double> &values) const {
  const auto count = int64_t(values.size());
  if (count < std::min(kFirst, options.window))
    return Limits().loss;
  // Sums from the oldest on, so that a resumed run has the same bits.
  const double mean =
      std::accumulate(values.begin(), values.end(), 0.0) / double(count);
  double squares = 0;
  for (const double value : values)
    squares += (value - mean) * (value - mean);
  const double deviation = std::sqrt(squares / double(count));
  return mean + options.sigmas * std::max(deviation, std::fabs(mean) / 100);
}
