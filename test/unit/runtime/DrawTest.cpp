//===- DrawTest.cpp - Draws tokens and prints them ------------------------===//

#include "train/run/Draw.h"
#include "train/run/SampleText.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <vector>

using namespace zrt;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Draw, TakesTheFirstOfTheLikeliest) {
  EXPECT_EQ(likeliest(std::vector<float>{-1, 3, 2, 3}), 1);
  EXPECT_EQ(draw(std::vector<float>{-1, 3, 2, 3}, 0, 0, 0.99), 1);
  EXPECT_EQ(draw(std::vector<float>{-kInfinity, -5}, 0, 0, 0), 1);
}

TEST(Draw, HasNoTokenOfWhatIsNotFinite) {
  EXPECT_EQ(likeliest(std::vector<float>{1, kNan, 2}), std::nullopt);
  EXPECT_EQ(draw(std::vector<float>{1, kInfinity}, 1, 0, 0.5), std::nullopt);
  EXPECT_EQ(likeliest(std::vector<float>{-kInfinity}), std::nullopt);
  EXPECT_EQ(likeliest({}), std::nullopt);
}

TEST(Draw, GoesByTheProbabilities) {
  // Probabilities 1/7, 2/7 and 4/7, in the order of tokens.
  const std::vector<float> logits = {0, std::log(2.F), std::log(4.F)};
  EXPECT_EQ(draw(logits, 1, 0, 0), 0);
  EXPECT_EQ(draw(logits, 1, 0, 0.14), 0);
  EXPECT_EQ(draw(logits, 1, 0, 0.15), 1);
  EXPECT_EQ(draw(logits, 1, 0, 0.42), 1);
  EXPECT_EQ(draw(logits, 1, 0, 0.43), 2);
  EXPECT_EQ(draw(logits, 1, 0, std::nextafter(1.0, 0.0)), 2);
  // Squared probabilities, or only the two likeliest tokens.
  EXPECT_EQ(draw(logits, 0.5, 0, 0.23), 1);
  EXPECT_EQ(draw(logits, 1, 2, 0), 1);
  EXPECT_EQ(draw(logits, 1, 2, 0.34), 2);
  EXPECT_EQ(draw(logits, 1, 1, 0.99), 2);
  EXPECT_EQ(draw(logits, 1, 100, 0), 0);
  // A very small temperature is valid.
  EXPECT_EQ(draw(logits, 1e-300, 0, 0.5), 2);
}

TEST(Draw, OfEqualOnesKeepsTheFirst) {
  const std::vector<float> logits = {1, 1, 1, 1};
  EXPECT_EQ(draw(logits, 1, 2, 0.49), 0);
  EXPECT_EQ(draw(logits, 1, 2, 0.51), 1);
}

TEST(Draw, ChanceIsOfSeedSampleAndPosition) {
  std::set<double> seen;
  double sum = 0;
  for (uint64_t seed = 0; seed < 10; ++seed)
    for (uint64_t sample = 0; sample < 10; ++sample)
      for (uint64_t position = 0; position < 10; ++position) {
        const double chance = chanceOf(seed, sample, position);
        EXPECT_GE(chance, 0);
        EXPECT_LT(chance, 1);
        EXPECT_EQ(chance, chanceOf(seed, sample, position));
        seen.insert(chance);
        sum += chance;
      }
  EXPECT_EQ(seen.size(), 1000U);
  EXPECT_NEAR(sum / 1000, 0.5, 0.05);
}

TEST(SampleText, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(printable("a\tb\nc\\"), "a\tb\nc\\\\");
  EXPECT_EQ(printable(std::string("\0\r\x1b[2J\x7f", 7)),
            "\\x00\\x0d\\x1b[2J\\x7f");
  EXPECT_EQ(printable("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"),
            "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
  // A cut sequence, a lone byte, an overlong form, a surrogate, a two-byte
  // control character.
  EXPECT_EQ(printable("\xc3"), "\\xc3");
  EXPECT_EQ(printable("\xa4x"), "\\xa4x");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");
  EXPECT_EQ(printable("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(SampleText, IsOneLineOfJson) {
  SampleOptions options;
  options.text = "a";
  options.tokens = 2;
  EXPECT_EQ(samplesLine(options, {97}, {{34, 200}, {10}}, 7),
            "{\"step\":7,\"prompt\":[97],\"samples\":[{\"ids\":[34,200],"
            "\"text\":\"\\\"\xef\xbf\xbd\"},{\"ids\":[10],\"text\":\"\\n\"}]}");
  EXPECT_EQ(samplesText(options, {97}, {{34, 200}, {10}}, "after step 7"),
            "--- sample 1 of 2, after step 7\na\"\\xc8\n"
            "--- sample 2 of 2, after step 7\na\n\n"
            "--- its logits are not finite here\n--- end of samples\n");
  options.text.reset();
  EXPECT_EQ(samplesLine(options, {1, 2}, {{3}}, 0),
            "{\"step\":0,\"prompt\":[1,2],\"samples\":[{\"ids\":[3]}]}");
  EXPECT_EQ(samplesText(options, {1, 2}, {{3, 4}}, ""),
            "--- sample 1 of 1\n1 2 | 3 4\n--- end of samples\n");
}

} // namespace
