//===- DeltaRuleUnderTest.h - Operands of the gated delta rule --*- C++ -*-===//
#pragma once

#include "runtime/device/cpu/delta/DeltaRule.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace zrt::test {

struct RuleCase {
  int64_t positions, keyWidth, valueWidth, heads;
  bool hasBeta = true;
  /// Where documents begin.
  std::vector<int32_t> begins = {};
  float gate = 0; ///< of each position; 0: random
  bool repeatsKeys = false;
};

/// The operands of `heads` heads of values that share q and k.
struct Operands {
  RuleCase of;
  std::vector<float> q, k, v, gate, beta, grad;
  std::vector<int32_t> starts;

  explicit Operands(const RuleCase &aCase, unsigned seed = 1) : of(aCase) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    const auto fill = [&](std::vector<float> &to, int64_t count, float factor) {
      to.resize(size_t(count));
      for (float &x : to)
        x = factor * normal(random);
    };
    const int64_t T = of.positions;
    const float unit = 1 / std::sqrt(float(of.keyWidth));
    fill(q, T * of.keyWidth, unit);
    fill(k, T * of.keyWidth, unit);
    if (of.repeatsKeys)
      for (int64_t i = of.keyWidth; i < T * of.keyWidth; ++i)
        k[size_t(i)] = k[size_t(i % of.keyWidth)];
    fill(v, T * of.heads * of.valueWidth, 1);
    fill(grad, T * of.heads * of.valueWidth, 1);
    fill(gate, T * of.heads, 1);
    for (float &g : gate)
      g = of.gate != 0 ? of.gate : -std::abs(g) * 0.2f;
    fill(beta, T * of.heads, 1);
    for (float &b : beta)
      b = 1 / (1 + std::exp(-b));
    if (of.begins.empty())
      return;
    int32_t start = 0;
    for (int32_t t = 0; t < T; ++t) {
      for (int32_t begin : of.begins)
        start = begin == t ? t : start;
      starts.push_back(start);
    }
  }

  /// The operands of the first head, of all positions.
  DeltaRule rule() const {
    const int64_t heads = of.heads;
    DeltaRule rule;
    rule.positions = of.positions;
    rule.keyWidth = of.keyWidth;
    rule.valueWidth = of.valueWidth;
    rule.starts = {starts.empty() ? nullptr : starts.data(), 1};
    rule.q = {q.data(), of.keyWidth};
    rule.k = {k.data(), of.keyWidth};
    rule.v = {v.data(), heads * of.valueWidth};
    rule.gate = {gate.data(), heads};
    rule.beta = {of.hasBeta ? beta.data() : nullptr, heads};
    return rule;
  }
  /// Those of head h.
  DeltaRule rule(int64_t h) const {
    DeltaRule one = rule();
    one.v.at += h * of.valueWidth;
    one.gate.at += h;
    if (of.hasBeta)
      one.beta.at += h;
    return one;
  }
};

} // namespace zrt::test
