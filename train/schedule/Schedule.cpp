//===- Schedule.cpp - The learning rate of every step ---------------------===//
#include "train/schedule/Schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace zrt;

double Schedule::at(int64_t step) const {
  if (step < warmup && isLogarithmic)
    return peak *
           std::min(1.0, std::log(double(step + 2)) /
                             std::log(double(std::max(warmup, int64_t{2}))));
  if (step < warmup)
    return peak * double(step + 1) / double(warmup);
  if (kind == Kind::Constant)
    return peak;
  // The rate stays at the minimum after the end, and if warm-up takes all
  // steps.
  if (step >= steps)
    return minimum;
  if (kind == Kind::Wsd) {
    const int64_t left = steps - step;
    return left >= cooldown
               ? peak
               : minimum + (peak - minimum) * double(left) / double(cooldown);
  }
  const double progress = double(step - warmup) / double(steps - warmup);
  const double share =
      kind == Kind::Linear
          ? 1.0 - progress
          : 0.5 * (1.0 + std::cos(std::numbers::pi * progress));
  return minimum + (peak - minimum) * share;
}
