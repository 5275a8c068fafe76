//===- LossScale.cpp - Dynamic loss scaling for f16 gradients -------------===//
#include "train/schedule/LossScale.h"

#include <algorithm>
#include <fmt/format.h>

using namespace zrt;

std::string LossScale::text() const {
  if (!moves)
    return fmt::format("{}", scale);
  std::string text = "dynamic";
  const Rule usual;
  if (rule.initial != usual.initial)
    text += fmt::format(",initial={}", rule.initial);
  if (rule.window != usual.window)
    text += fmt::format(",window={}", rule.window);
  if (rule.hysteresis != usual.hysteresis)
    text += fmt::format(",hysteresis={}", rule.hysteresis);
  if (rule.minimum != usual.minimum)
    text += fmt::format(",minimum={}", rule.minimum);
  return text;
}

void LossScale::resumeFrom(const State &was) {
  if (!moves || !was.moves)
    return;
  scale = was.value;
  hysteresis = std::min<int64_t>(was.hysteresis, rule.hysteresis);
  sinceOverflow = was.sinceOverflow;
}

void LossScale::update(bool finite) {
  if (!moves)
    return;
  if (!finite) {
    sinceOverflow = 0;
    if (hysteresis > 1)
      --hysteresis;
    else
      scale = std::max(scale / 2, rule.minimum);
    return;
  }
  if (sinceOverflow > 0 && sinceOverflow % rule.window == 0) {
    hysteresis = rule.hysteresis;
    scale = std::min(scale * 2, kMaximum);
  }
  ++sinceOverflow;
}
