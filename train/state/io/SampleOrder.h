//===- SampleOrder.h - The order in which samples are read ------*- C++ -*-===//
//
// A run reads positions 0, 1, 2, ...; an epoch has as many positions as there
// are samples.  Position i of an epoch is sample i or, if shuffled, the image
// of i under a permutation of that epoch.  The permutation is computed for one
// position at a time: a Feistel network on the next power of four, with cycle
// walking (Black and Rogaway, "Ciphers with arbitrary finite domains", CT-RSA
// 2002).  So nothing is stored, a run can start at any position, and the order
// does not depend on the distribution of positions over ranks and steps.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>

namespace zrt {

class SampleOrder {
public:
  /// Takes at least one sample; keeps file order without a seed.  The orders of
  /// several sources with the same seed differ.
  SampleOrder(uint64_t samples, std::optional<uint64_t> seed,
              uint32_t source = 0);

  uint64_t samples() const { return count; }
  /// The sample at `position`.
  uint64_t at(uint64_t position) const {
    const uint64_t epoch = position / count, index = position % count;
    return isShuffled ? shuffled(epoch, index) : index;
  }

private:
  uint64_t shuffled(uint64_t epoch, uint64_t index) const;
  /// A permutation of the numbers of 2 x halfBits bits.
  uint64_t mix(uint64_t epoch, uint64_t value) const;

  uint64_t count;
  bool isShuffled;
  uint64_t seed; ///< 0 if not shuffled
  uint32_t source;
  uint32_t halfBits = 1;
};

} // namespace zrt
