//===- StepSum.h - The sum of a number over micro-steps ---------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <vector>

namespace zrt {

/// Adds up a number of each micro-step: in f64 and one after the other, or as a
/// binary tree in f32, which goes on where the tree of an all_reduce over ranks
/// ends (--virtual-shards).
class StepSum {
public:
  explicit StepSum(bool inTree) : inTree(inTree) {}

  void add(double value) {
    if (!inTree) {
      sum += value;
      return;
    }
    auto total = static_cast<float>(value);
    for (uint64_t bits = count++; bits & 1; bits >>= 1) {
      total = parts.back() + total;
      parts.pop_back();
    }
    parts.push_back(total);
  }

  double get() const {
    if (parts.empty())
      return sum;
    float total = parts.back();
    for (size_t i = parts.size() - 1; i-- > 0;)
      total = parts[i] + total;
    return total;
  }

private:
  bool inTree;
  double sum = 0;
  uint64_t count = 0;
  /// Of as many micro-steps as the ones of `count` stand for, largest first.
  std::vector<float> parts;
};

} // namespace zrt
