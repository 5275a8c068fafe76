//===- LossScale.h - Dynamic loss scaling for f16 gradients -----*- C++ -*-===//
//
// Small gradients are zero in f16, large ones infinite.  So the loss is scaled
// up as far as gradients stay finite, and the step divides the norm and the
// update by the same number.  A step whose gradients are not finite changes
// nothing.  Between steps the scale changes as DeepSpeed's dynamic loss scale
// does:
//
//   not finite   hysteresis goes down by one; at one the scale halves
//   finite       after `window` finite steps in a row the next one doubles the
//                scale, and hysteresis returns to its initial value
//
//===----------------------------------------------------------------------===//
#pragma once

#include "train/state/checkpoint/Manifest.h"

#include <cstdint>
#include <string>

namespace zrt {

class LossScale {
public:
  static constexpr double kMinimum = 1, kMaximum = 0x1p126;
  /// The numbers of a dynamic scale.
  struct Rule {
    double initial = 65536, minimum = 1;
    int64_t window = 1000, hysteresis = 2;
  };

  /// A dynamic scale.
  explicit LossScale(const Rule &aRule)
      : rule(aRule), scale(rule.initial), hysteresis(rule.hysteresis) {}
  LossScale() : LossScale(Rule()) {}
  /// A fixed scale.
  explicit LossScale(double aFixed) : scale(aFixed), moves(false) {}

  double value() const { return scale; }
  /// Returns true if the scale can still decrease.
  bool canShrink() const { return moves && scale > rule.minimum; }
  /// As --loss-scale has it.
  std::string text() const;
  /// The whole state, for a checkpoint.
  using State = RunPosition::LossScale;
  State state() const { return {scale, moves, hysteresis, sinceOverflow}; }
  /// Continues another run's, if both are dynamic.
  void resumeFrom(const State &was);

  /// Adjusts the scale after a step; `finite`: its gradients were finite.
  void update(bool finite);

private:
  Rule rule;
  double scale;
  bool moves = true;
  int64_t hysteresis = 0;
  int64_t sinceOverflow = 0; ///< finite steps since then
};

} // namespace zrt
