//===- Dice.h - Random numbers of fuzzers -----------------------*- C++ -*-===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace fuzz {

/// Numbers that do not depend on the standard library, as those of its
/// distributions do: the same on every machine.
class Dice {
public:
  explicit Dice(uint64_t seed) : engine(seed) {}
  /// From 0 to `count` - 1.
  size_t below(size_t count) { return count ? engine() % count : 0; }

private:
  std::mt19937_64 engine;
};

} // namespace fuzz
