//===- SampleOrder.cpp - The order in which samples are read --------------===//
#include "train/state/io/SampleOrder.h"

#include "runtime/numbers/Philox.h"

using namespace zrt;

namespace {
/// Four rounds of pseudorandom functions suffice for a pseudorandom permutation
/// (Luby and Rackoff).
constexpr uint32_t kRounds = 6;
/// Separates these random numbers from others of the same seed.
constexpr uint32_t kPurpose = 0x6f726472; // "ordr"
} // namespace

SampleOrder::SampleOrder(uint64_t samples, std::optional<uint64_t> seed,
                         uint32_t aSource)
    : count(samples), isShuffled(seed.has_value()), seed(seed.value_or(0)),
      source(aSource) {
  while (halfBits < 32 && (samples - 1) >> (2 * halfBits) != 0)
    ++halfBits;
}

uint64_t SampleOrder::shuffled(uint64_t epoch, uint64_t index) const {
  // Less than 3/4 of the domain is outside: fewer than four tries on average.
  do
    index = mix(epoch, index);
  while (index >= count);
  return index;
}

uint64_t SampleOrder::mix(uint64_t epoch, uint64_t value) const {
  const uint64_t mask = (uint64_t{1} << halfBits) - 1;
  auto left = uint32_t(value >> halfBits), right = uint32_t(value & mask);
  const std::array<uint32_t, 2> key = {uint32_t(seed), uint32_t(seed >> 32)};
  for (uint32_t round = 0; round < kRounds; ++round) {
    const uint32_t drawn =
        philox4x32({right, uint32_t(epoch), uint32_t(epoch >> 32),
                    kPurpose + source * kRounds + round},
                   key)[0];
    const auto next = uint32_t((left ^ drawn) & mask);
    left = right;
    right = next;
  }
  return uint64_t(left) << halfBits | right;
}
