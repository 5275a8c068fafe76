//===- Dice.h - Random numbers of fuzzers -----------------------*- C++ -*-===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace fuzz {

/// Random numbers that are the same on every machine, unlike those of the
/// standard library's distributions.
class Dice {
public:
  explicit Dice(uint64_t seed) : engine(seed) {}
  /// From 0 to `count` - 1.
  size_t below(size_t count) { return count ? engine() % count : 0; }

private:
  std::mt19937_64 engine;
};

} // namespace fuzz
