//===- Schedule.h - The learning rate of every step -------------*- C++ -*-===//
#pragma once

#include <cstdint>

namespace zrt {

///   lr |    .-----------.            constant
///      |   /             `-.         linear, cosine: down to `minimum`,
///      |  /                 `-.      which step `steps` would have
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
  int64_t cooldown = 0; ///< of wsd: steps of linear fall
  int64_t steps = 0;
  /// The rise is peak x ln(s + 2) / ln(warmup) instead, as DeepSpeed's without its
  /// first two steps, which have a rate of 0.
  bool isLogarithmic = false;

  /// Whether wsd's rise and fall fit into the steps; true of other kinds.
  bool hasRoom() const {
    return kind != Kind::Wsd || warmup + cooldown <= steps;
  }
  /// The learning rate of step `step`, from 0.
  double at(int64_t step) const;
};

} // namespace zrt
