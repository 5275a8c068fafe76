//===- RopeFrequencies.cpp - Frequencies of rotary embeddings -------------===//
#include "frontend/RopeFrequencies.h"

#include "frontend/Functions.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace mlir::frontend;

static constexpr double kTurn = 2 * std::numbers::pi;

/// Llama 3's scaling of a pair that turns by `frequency` radians per position.
static double scaleLlama3(double frequency, const RopeScaling &s) {
  double turns = s.originalPositions * frequency / kTurn;
  if (turns < s.lowFrequencyFactor)
    return frequency / s.factor;
  if (turns > s.highFrequencyFactor)
    return frequency;
  double smooth = (turns - s.lowFrequencyFactor) /
                  (s.highFrequencyFactor - s.lowFrequencyFactor);
  return (1 - smooth) * frequency / s.factor + smooth * frequency;
}

namespace {

/// YaRN's ramp: pairs before `low` are unchanged, those after `high` are
/// scaled.
struct Ramp {
  double low, high;

  Ramp(double base, int64_t dims, const RopeScaling &s) {
    // The pair that makes `turns` turns over the original positions.
    auto pairOf = [&](double turns) {
      return double(dims) * std::log(s.originalPositions / (turns * kTurn)) /
             (2 * std::log(base));
    };
    low = pairOf(s.betaFast);
    high = pairOf(s.betaSlow);
    if (s.truncate) {
      low = std::floor(low);
      high = std::ceil(high);
    }
    low = std::max(low, 0.0);
    high = std::min(high, double(dims - 1));
    if (low == high)
      high += 0.001;
  }

  double at(double pair) const {
    return std::clamp((pair - low) / (high - low), 0.0, 1.0);
  }
};

} // namespace

static double attentionFactorOf(const RopeScaling &s) {
  auto scaleOf = [&](double mscale) {
    return s.factor <= 1 ? 1 : 0.1 * mscale * std::log(s.factor) + 1;
  };
  if (s.attentionFactor)
    return *s.attentionFactor;
  if (s.type == RopeScaling::Long)
    return s.factor <= 1 ? 1
                         : std::sqrt(1 + std::log(s.factor) /
                                             std::log(s.originalPositions));
  if (s.mscale != 0 && s.mscaleAllDim != 0)
    return scaleOf(s.mscale) / scaleOf(s.mscaleAllDim);
  return scaleOf(1);
}

Rope mlir::frontend::computeRope(double base, int64_t dims,
                                 const RopeScaling &s) {
  Rope rope = {ropeFrequencies(dims, base), 1, base, s};
  switch (s.type) {
  case RopeScaling::Default:
    break;
  case RopeScaling::Linear:
    for (double &frequency : rope.frequencies)
      frequency /= s.factor;
    break;
  case RopeScaling::Proportional:
    for (auto [pair, frequency] : llvm::enumerate(rope.frequencies))
      frequency = int64_t(pair) < s.turning ? frequency / s.factor : 0;
    break;
  case RopeScaling::Llama3:
    for (double &frequency : rope.frequencies)
      frequency = scaleLlama3(frequency, s);
    break;
  case RopeScaling::Yarn: {
    Ramp ramp(base, dims, s);
    for (size_t pair = 0; pair < rope.frequencies.size(); ++pair) {
      double scaled = ramp.at(double(pair));
      rope.frequencies[pair] *= scaled / s.factor + (1 - scaled);
    }
    rope.factor = attentionFactorOf(s);
    break;
  }
  case RopeScaling::Long:
    for (auto [frequency, factor] :
         llvm::zip_equal(rope.frequencies, s.factors))
      frequency /= factor;
    rope.factor = attentionFactorOf(s);
    break;
  }
  return rope;
}
