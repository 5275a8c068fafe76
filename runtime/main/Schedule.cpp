//===- Schedule.cpp - The learning rate of every step ---------------------===//
#include "runtime/main/Schedule.h"

#include <cmath>
#include <numbers>

using namespace zrt;

double Schedule::at(int64_t step) const {
  if (step < warmup)
    return peak * double(step + 1) / double(warmup);
  if (kind == Kind::Constant)
    return peak;
  // Beyond the end (and when warm-up takes all steps) the minimum stays.
  if (step >= steps)
    return minimum;
  const double progress = double(step - warmup) / double(steps - warmup);
  const double share =
      kind == Kind::Linear
          ? 1.0 - progress
          : 0.5 * (1.0 + std::cos(std::numbers::pi * progress));
  return minimum + (peak - minimum) * share;
}
