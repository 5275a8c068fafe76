//===- LossScale.cpp - Dynamic loss scaling for f16 gradients -------------===//
#include "train/schedule/LossScale.h"

#include <algorithm>

using namespace zrt;

void LossScale::update(bool finite) {
  if (!moves)
    return;
  if (!finite) {
    sinceOverflow = 0;
    if (hysteresis > 1)
      --hysteresis;
    else
      scale = std::max(scale / 2, kMinimum);
    return;
  }
  if (++sinceOverflow % kWindow == 0) {
    hysteresis = kHysteresis;
    scale = std::min(scale * 2, kMaximum);
  }
}
