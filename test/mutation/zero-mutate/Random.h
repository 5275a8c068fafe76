//===- Random.h - Reproducible random numbers -----------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace mlir::zero {

/// SplitMix64; the distributions of <random> differ from library to library.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// A number below `limit`, which is positive.
  uint64_t below(uint64_t limit) { return next() % limit; }
  /// A number in [least, most].
  int64_t between(int64_t least, int64_t most) {
    return least + int64_t(below(uint64_t(most - least + 1)));
  }
  /// Returns true with probability 1 / `times`.
  bool once(uint64_t times) { return below(times) == 0; }
  template <typename Range>
  auto pick(Range &&range) {
    return range[below(range.size())];
  }

private:
  uint64_t state;
};

} // namespace mlir::zero
