//===- Schedule.cpp - The learning rate of every step ---------------------===//
#include "train/schedule/Schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace zrt;

bool Schedule::hasRoom() const {
  const Samples a = axis();
  return kind != Kind::Wsd || (warmup + cooldown) * a.begunWith <= a.end;
}

double Schedule::at(int64_t place) const {
  // In steps of this run.  Whole numbers of them are exact.
  const Samples a = axis();
  const auto inSteps = [&](int64_t units) {
    return double(units) / double(a.perStep);
  };
  const double step = inSteps(place), rise = inSteps(warmup * a.begunWith),
               fall = inSteps(cooldown * a.begunWith), end = inSteps(a.end);
  if (step < rise && isLogarithmic)
    return peak *
           std::min(1.0, std::log(step + 2) / std::log(std::max(rise, 2.0)));
  if (step < rise) // a part of a step may be left of it
    return step + 1 > rise ? peak : peak * (step + 1) / rise;
  if (kind == Kind::Constant)
    return peak;
  // The rate stays at the minimum after the end, and if warm-up takes all
  // steps.
  if (step >= end)
    return minimum;
  if (kind == Kind::Wsd) {
    const double left = end - step;
    return left >= fall ? peak : minimum + (peak - minimum) * left / fall;
  }
  const double progress = (step - rise) / (end - rise);
  const double share =
      kind == Kind::Linear
          ? 1.0 - progress
          : 0.5 * (1.0 + std::cos(std::numbers::pi * progress));
  return minimum + (peak - minimum) * share;
}
