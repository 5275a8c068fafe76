//===- LossScale.h - Dynamic loss scaling for f16 gradients -----*- C++ -*-===//
//
// Small gradients are zero in f16, large ones infinite.  So the loss is scaled
// up as far as gradients stay finite, and the step divides the norm and the
// update by the same number.  A step whose gradients are not finite changes
// nothing.  Between steps the scale changes as DeepSpeed's dynamic loss scale
// does:
//
//   not finite   hysteresis goes down by one; at one the scale halves
//   finite       after kWindow finite steps in a row the scale doubles, and
//                hysteresis returns to its initial value
//
//===----------------------------------------------------------------------===//
#pragma once

#include "train/state/checkpoint/Manifest.h"

#include <cstdint>

namespace zrt {

class LossScale {
public:
  static constexpr double kInitial = 65536, kMinimum = 1, kMaximum = 0x1p126;
  static constexpr int64_t kWindow = 1000;
  static constexpr int kHysteresis = 2;

  /// A dynamic scale.
  LossScale() = default;
  /// A fixed scale.
  explicit LossScale(double aFixed) : scale(aFixed), moves(false) {}

  double value() const { return scale; }
  /// Returns true if the scale can still decrease.
  bool canShrink() const { return moves && scale > kMinimum; }
  /// The whole state, for a checkpoint.
  using State = RunPosition::LossScale;
  explicit LossScale(const State &state)
      : scale(state.value), moves(state.moves), hysteresis(state.hysteresis),
        sinceOverflow(state.sinceOverflow) {}
  State state() const { return {scale, moves, hysteresis, sinceOverflow}; }

  /// Adjusts the scale after a step; `finite`: its gradients were finite.
  void update(bool finite);

private:
  double scale = kInitial;
  bool moves = true;
  int hysteresis = kHysteresis;
  int64_t sinceOverflow = 0; ///< finite steps since then
};

} // namespace zrt
