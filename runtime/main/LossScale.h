//===- LossScale.h - What gradients of f16 are scaled by --------*- C++ -*-===//
//
// Small gradients are zero in f16, large ones infinite.  So the loss is scaled
// up, as far as gradients stay finite; the step divides the norm and the update
// by the same number.  A step whose gradients are not finite changes nothing,
// and between steps the scale moves, as DeepSpeed's dynamic loss scale does:
//
//   not finite   hysteresis goes down by one; at one the scale halves
//   finite       after `window` steps since the last that was not, the scale
//                doubles, and hysteresis is as in the beginning
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace zrt {

class LossScale {
public:
  static constexpr double kInitial = 65536, kMinimum = 1, kMaximum = 0x1p126;
  static constexpr int64_t kWindow = 1000;
  static constexpr int kHysteresis = 2;

  /// One that moves.
  LossScale() = default;
  /// One that stays.
  explicit LossScale(double aFixed) : scale(aFixed), moves(false) {}

  double value() const { return scale; }
  /// Whether a smaller one can be tried.
  bool canShrink() const { return moves && scale > kMinimum; }
  /// All that it knows, to go on elsewhere.
  struct State {
    double value;
    bool moves;
    int hysteresis;
    int64_t sinceOverflow;
  };
  explicit LossScale(const State &state)
      : scale(state.value), moves(state.moves), hysteresis(state.hysteresis),
        sinceOverflow(state.sinceOverflow) {}
  State state() const { return {scale, moves, hysteresis, sinceOverflow}; }

  /// After a step, whose gradients were finite or not.
  void update(bool finite);

private:
  double scale = kInitial;
  bool moves = true;
  int hysteresis = kHysteresis;
  int64_t sinceOverflow = 0; ///< finite steps
};

} // namespace zrt
