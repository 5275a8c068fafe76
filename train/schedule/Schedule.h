//===- Schedule.h - The learning rate of every step -------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <optional>

namespace zrt {

///   lr |    .-----------.            constant
///      |   /             `-.         linear, cosine: down to `minimum`
///      |  /                 `-.      at step `steps`
///      | /                     `
///      +--+-----------------------
///        warmup             steps
///
///   lr |    .-----------.
///      |   /             \          wsd (warm-up, stable, decay): linear,
///      |  /               \         down to `minimum`
///      +--+--------------+-+------
///        warmup      cooldown
///
/// Where epochs give the length, the axis has samples: a run that goes on with
/// steps of another size goes on at the same place.
struct Schedule {
  enum class Kind { Constant, Linear, Cosine, Wsd };
  Kind kind = Kind::Constant;
  double peak = 0;
  double minimum = 0;
  int64_t warmup = 0;   ///< steps of linear rise, peak x (s + 1) / warmup
  int64_t cooldown = 0; ///< for wsd: steps of linear fall
  int64_t steps = 0;
  /// The rise is peak x ln(s + 2) / ln(warmup) instead: DeepSpeed's rise
  /// without its first two steps, whose rate is 0.
  bool isLogarithmic = false;

  /// An axis of samples.
  struct Samples {
    int64_t perStep;   ///< of a step of this run
    int64_t begunWith; ///< of a step when the run began, which `warmup` and
                       ///< `cooldown` count
    int64_t end;       ///< read by the whole run
  };
  std::optional<Samples> samples = std::nullopt;

  /// The place of the last step.
  int64_t last() const {
    return samples ? samples->end - samples->perStep : steps - 1;
  }
  /// Returns true if wsd's rise and fall fit into the steps, or for other
  /// kinds.
  bool hasRoom() const;
  /// The learning rate at `place`: of step `place`, from 0, or of the step that
  /// updates after `place` samples.  As long as steps have one size, both are
  /// the same bits.
  double at(int64_t place) const;

private:
  /// The axis; without samples a step is one unit.
  Samples axis() const { return samples.value_or(Samples{1, 1, steps}); }
};

} // namespace zrt
