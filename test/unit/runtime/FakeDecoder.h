//===- FakeDecoder.h - A model whose logits are a hash ----------*- C++ -*-===//
#pragma once

#include "runtime/hash/Hash.h"
#include "train/generate/Engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace zrt {

/// The logits after `text`, from its document's beginning on.  After the token
/// kPoison they are not finite.
constexpr int32_t kPoison = 3;
inline std::vector<float> hashedLogits(std::span<const int32_t> text,
                                       size_t vocabulary) {
  Hash hash;
  for (const int32_t token : text)
    hash.addNumber(token);
  std::vector<float> logits;
  for (size_t i = 0; i < vocabulary; ++i) {
    hash.addNumber(i);
    logits.push_back(float(hash.get() >> 40) * 0x1p-21F - 4);
  }
  if (!text.empty() && text.back() == kPoison)
    logits[0] = std::numeric_limits<float>::quiet_NaN();
  return logits;
}

/// Keeps the tokens themselves in place of keys and values, and checks what a
/// Decoder may expect.
class FakeDecoder : public Decoder {
public:
  FakeDecoder(size_t slots, size_t positions, size_t chunk, size_t vocabulary)
      : chunkSize(chunk), classes(vocabulary),
        kept(slots, std::vector<int32_t>(positions, -1)), filled(slots) {}

  size_t slots() const override { return kept.size(); }
  size_t positions() const override { return kept.front().size(); }
  size_t chunk() const override { return chunkSize; }
  size_t vocabulary() const override { return classes; }
  size_t tokenBound() const override { return bound ? bound : classes; }
  std::optional<int32_t> separator() const override { return divider; }
  size_t keptEvery() const override { return stateDistance; }

  std::span<const float> prefill(std::span<const int32_t> tokens,
                                 std::span<const int32_t> begin,
                                 std::span<const int32_t> count,
                                 std::span<const int32_t> starts) override {
    log += 'p';
    return run(tokens, begin, count, starts, chunkSize);
  }
  std::span<const float> decode(std::span<const int32_t> tokens,
                                std::span<const int32_t> begin,
                                std::span<const int32_t> count,
                                std::span<const int32_t> starts) override {
    log += 'd';
    return run(tokens, begin, count, starts, 1);
  }

  size_t bound = 0;
  std::optional<int32_t> divider;
  size_t stateDistance = 0;
  bool isAlone = true; ///< no other rank needs a run that is for nothing
  std::string log;     ///< the programs that have run
  size_t read = 0;     ///< tokens

private:
  std::span<const float> run(std::span<const int32_t> tokens,
                             std::span<const int32_t> begin,
                             std::span<const int32_t> count,
                             std::span<const int32_t> starts, size_t width) {
    EXPECT_EQ(tokens.size(), slots() * width);
    EXPECT_EQ(begin.size(), slots());
    EXPECT_EQ(count.size(), slots());
    EXPECT_EQ(starts.size(), slots());
    if (isAlone)
      EXPECT_GT(*std::ranges::max_element(count), 0) << "a run for nothing";
    logits.assign(slots() * classes, std::numeric_limits<float>::quiet_NaN());
    for (size_t s = 0; s < slots(); ++s) {
      if (count[s] == 0)
        continue;
      const auto first = size_t(begin[s]), number = size_t(count[s]);
      EXPECT_LE(number, width);
      EXPECT_LE(first, filled[s]) << "keys are missing";
      if (stateDistance > 0 && first > 0) {
        EXPECT_EQ(first / stateDistance, filled[s] / stateDistance)
            << "no state is kept there";
      }
      EXPECT_LE(first + number, positions());
      EXPECT_LE(starts[s], begin[s]);
      std::copy_n(tokens.begin() + long(s * width), number,
                  kept[s].begin() + long(first));
      filled[s] = first + number;
      read += number;
      const std::vector<float> own =
          hashedLogits(std::span(kept[s]).subspan(
                           size_t(starts[s]), filled[s] - size_t(starts[s])),
                       classes);
      std::ranges::copy(own, logits.begin() + long(s * classes));
    }
    return logits;
  }

  const size_t chunkSize, classes;
  std::vector<std::vector<int32_t>> kept;
  std::vector<size_t> filled;
  std::vector<float> logits;
};

} // namespace zrt
