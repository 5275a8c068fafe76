//===- Dropout.h - The elements that dropout keeps --------------*- C++ -*-===//
//
// A counter-based generator.  Whether an element is kept is a function of
//
//   key      of its sequence; the host makes it of the seed and of the number
//            of the sequence in the run
//   place    of the dropout in the model
//   element  its number among the elements of the sequence
//
// So a mask is the same in any layout of a run, and is computed again instead
// of kept.  The key 0 keeps everything: evaluations use it.
//
// The hash is triple32 (Wellons, "Prospecting for hash functions", 2018), with
// one half of the key at its start and the other inside it.
//
// Files for wide vectors must share no code with others, and call dropoutBits
// alone, which is always inlined.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cmath>
#include <cstdint>

namespace zrt {

/// Bits that differ between places; they are added to keys by exclusive or.
/// SplitMix64 (Steele et al., OOPSLA 2014) of the place.
constexpr uint64_t dropoutPlaceBits(uint64_t place) {
  uint64_t bits = (place + 1) * 0x9e3779b97f4a7c15u;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

/// 32 random bits of `element`; `low` and `high` are the halves of its key.
/// Word is an unsigned integer, a vector of them, or code that computes one.
template <typename Word>
[[gnu::always_inline]] inline Word dropoutBits(Word element, Word low,
                                               Word high) {
  Word bits = element ^ low;
  bits = (bits ^ (bits >> 17)) * uint32_t{0xed5ad4bb};
  bits = (bits ^ (bits >> 11) ^ high) * uint32_t{0xac4c1b51};
  return (bits ^ (bits >> 15)) * uint32_t{0x31848bab};
}

/// Elements whose bits are below this are dropped; `rate` is below 1.
inline uint32_t dropoutThreshold(double rate) {
  return static_cast<uint32_t>(
      std::fmin(std::nearbyint(std::ldexp(rate, 32)), UINT32_MAX));
}

/// The factor of elements that are kept.
inline float dropoutFactor(double rate) {
  return static_cast<float>(1 / (1 - rate));
}

/// The dropout of one sequence at one place.
struct Dropout {
  uint32_t low, high; ///< halves of the key
  uint32_t threshold;
  float factor;

  /// `key` is not 0.
  Dropout(uint64_t key, uint64_t place, double rate)
      : low(uint32_t(key ^ dropoutPlaceBits(place))),
        high(uint32_t((key ^ dropoutPlaceBits(place)) >> 32)),
        threshold(dropoutThreshold(rate)), factor(dropoutFactor(rate)) {}
  bool keeps(uint32_t element) const {
    return dropoutBits(element, low, high) >= threshold;
  }
};

} // namespace zrt
