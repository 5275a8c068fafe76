//===- AttentionMaskTest.cpp - Grouped heads, windows, caps, documents ----===//
#include "AttentionUnderTest.h"

using namespace zrt;
using namespace zrt::test;

namespace {

class AttentionMask : public ::testing::TestWithParam<Ask> {};

TEST_P(AttentionMask, IsRight) {
  const Problem<float> problem(GetParam(), /*packed=*/false);
  const Expected<float> expected(problem);
  for (const Target<float> &target : targets<float>()) {
    SCOPED_TRACE(target.name);
    expectNear(run(problem, target), expected, 2e-5, 0);
  }
}

TEST_P(AttentionMask, HasTheSameBitsOnAllProcessorsWithFma) {
  const Problem<float> problem(GetParam(), /*packed=*/false);
  const std::vector<Target<float>> all = targets<float>();
  for (size_t i = 2; i < all.size(); ++i)
    EXPECT_TRUE(run(problem, all[1]).sameBits(run(problem, all[i])));
}

template <typename T>
void expectRoundedOnce(const Ask &ask, double part) {
  const Problem<T> problem(ask, /*packed=*/false);
  expectNear(run(problem, kernelCalls<T>()), Expected<T>(problem), 2e-5, part);
}

TEST_P(AttentionMask, Of16BitsRoundsOnce) {
  expectRoundedOnce<Brain>(GetParam(), 0x1p-7);
  expectRoundedOnce<Half>(GetParam(), 0x1p-10);
}

TEST_P(AttentionMask, OfPairsStaysWithinItsBounds) {
  if (GetParam().width > kMaxPairWidth)
    return;
  expectPairsNear<Brain>({GetParam(), /*packed=*/false});
  expectPairsNear<Half>({GetParam(), /*packed=*/false});
}

std::vector<Ask> asks() {
  std::vector<Ask> all;
  for (int64_t queries : {1, 50, 130, 300})
    for (int64_t heads : {1, 3})
      for (int64_t window : {0, 1, 33, 170})
        for (float cap : {0.0f, 0.8f})
          for (bool documents : {false, true})
            // Most queries take most of the time.
            if (queries < 300 || (heads == 3 && window % 34 == 0))
              all.push_back({queries, queries + (heads == 3 ? 40 : 0), 20,
                             heads, window, cap, documents});
  all.push_back({70, 90, 24, 2, 0, 0.5f, false, false});
  all.push_back({130, 170, 20, 3, 33, 0.8f, true, true, true});
  all.push_back({70, 90, 24, 2, 0, 0, false, false, true});
  all.push_back({50, 3000, 64, 2, 0, 0, false, true, true});
  // Enough keys for several blocks.
  for (int64_t window : {0, 100, 2000})
    for (bool documents : {false, true}) {
      all.push_back({150, 3000, 64, 2, window, 0, documents});
      all.push_back({70, 600, 768, 2, window, 0.8f, documents});
    }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Shapes, AttentionMask, ::testing::ValuesIn(asks()));

} // namespace
