//===- SampleOrder.h - In which order samples are read ----------*- C++ -*-===//
//
// A run reads positions 0, 1, 2, ...; an epoch is as many of them as there are
// samples.  Position i is sample i of the epoch, or, shuffled, where a
// permutation of the epoch's own puts it: a bijection that is computed for one
// position at a time (a Feistel network on the next power of four, walked until
// it is inside: Black and Rogaway, "Ciphers with arbitrary finite domains",
// CT-RSA 2002).  So nothing is stored, any position can be begun with, and the
// order does not depend on how positions are shared among ranks and steps.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>

namespace zrt {

class SampleOrder {
public:
  /// Of at least one sample; in their own order without a seed.  Each source of a
  /// seed's has orders of its own.
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
  /// A permutation of the numbers of twice `halfBits` bits.
  uint64_t mix(uint64_t epoch, uint64_t value) const;

  uint64_t count;
  bool isShuffled;
  uint64_t seed; ///< 0 where it is not
  uint32_t source;
  uint32_t halfBits = 1;
};

} // namespace zrt
