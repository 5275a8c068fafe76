//===- Schedule.h - The learning rate of every step -------------*- C++ -*-===//
#pragma once

#include <cstdint>

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

  /// Returns true if wsd's rise and fall fit into the steps, or for other
  /// kinds.
  bool hasRoom() const {
    return kind != Kind::Wsd || warmup + cooldown <= steps;
  }
  /// The learning rate of step `step`, from 0.
  double at(int64_t step) const;
};

} // namespace zrt
