//===- LossScaleTest.cpp - Changes of the loss scale ----------------------===//
#include "train/schedule/LossScale.h"

#include <gtest/gtest.h>
#include <utility>
#include <vector>

using namespace zrt;

namespace {

void updateTimes(LossScale &scale, bool finite, int times) {
  for (int i = 0; i < times; ++i)
    scale.update(finite);
}

TEST(LossScale, HalvesAfterTheSecondOverflow) {
  LossScale scale;
  EXPECT_EQ(scale.value(), 65536);
  updateTimes(scale, false, 1); // hysteresis ignores the first
  EXPECT_EQ(scale.value(), 65536);
  updateTimes(scale, false, 1);
  EXPECT_EQ(scale.value(), 32768);
  updateTimes(scale, false, 1); // but none after it
  EXPECT_EQ(scale.value(), 16384);
}

TEST(LossScale, DoublesAfterAWindowAndForgivesAgain) {
  LossScale scale;
  updateTimes(scale, false, 2);
  updateTimes(scale, true, 1000);
  EXPECT_EQ(scale.value(), 32768);
  updateTimes(scale, true, 1);
  EXPECT_EQ(scale.value(), 65536);
  updateTimes(scale, false, 1);
  EXPECT_EQ(scale.value(), 65536);
}

TEST(LossScale, CountsFromTheLastOverflow) {
  LossScale scale;
  updateTimes(scale, true, 1000);
  updateTimes(scale, false, 1);
  updateTimes(scale, true, 1000);
  EXPECT_EQ(scale.value(), 65536);
  updateTimes(scale, true, 1);
  EXPECT_EQ(scale.value(), 131072);
}

TEST(LossScale, HasEnds) {
  LossScale scale;
  updateTimes(scale, false, 100);
  EXPECT_EQ(scale.value(), 1);
  EXPECT_FALSE(scale.canShrink());
  updateTimes(scale, true, 200 * 1000);
  EXPECT_EQ(scale.value(), 0x1p126);
}

/// What DeepSpeed 0.19.8's DynamicLossScaler has after each of these steps:
/// initial_scale_power=4, loss_scale_window=3, min_loss_scale=2.
TEST(LossScale, FollowsDeepSpeed) {
  const char *finite = "x......x.xxxx.....";
  const std::pair<int, std::vector<double>> ofHysteresis[] = {
      {1, {8, 8, 8, 8, 16, 16, 16, 8, 8, 4, 2, 2, 2, 2, 2, 2, 4, 4}},
      {2, {16, 16, 16, 16, 32, 32, 32, 32, 32, 16, 8, 4, 2, 2, 2, 2, 4, 4}},
      {4,
       {16, 16, 16, 16, 32, 32, 32, 32, 32, 32, 32, 16, 8, 8, 8, 8, 16, 16}}};
  for (const auto &[hysteresis, expected] : ofHysteresis) {
    LossScale scale(LossScale::Rule{
        .initial = 16, .minimum = 2, .window = 3, .hysteresis = hysteresis});
    std::vector<double> scales;
    for (const char *step = finite; *step; ++step) {
      scale.update(*step == '.');
      scales.push_back(scale.value());
    }
    EXPECT_EQ(scales, expected) << "hysteresis " << hysteresis;
  }
}

TEST(LossScale, ContinuesWithItsOwnNumbers) {
  LossScale before, fixed(8);
  updateTimes(before, false, 2);
  LossScale after(LossScale::Rule{.window = 2, .hysteresis = 1});
  after.resumeFrom(before.state());
  EXPECT_EQ(after.text(), "dynamic,window=2,hysteresis=1");
  EXPECT_EQ(after.value(), 32768);
  updateTimes(after, true, 3);
  EXPECT_EQ(after.value(), 65536);
  fixed.resumeFrom(before.state());
  EXPECT_EQ(fixed.value(), 8);
}

TEST(LossScale, StaysWhereItIsFixed) {
  LossScale scale(8);
  EXPECT_FALSE(scale.canShrink());
  updateTimes(scale, false, 10);
  updateTimes(scale, true, 5000);
  EXPECT_EQ(scale.value(), 8);
}

} // namespace
