//===- LossScaleTest.cpp - Changes of the loss scale ----------------------===//
#include "train/schedule/LossScale.h"

#include <gtest/gtest.h>

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
  updateTimes(scale, true, 999);
  EXPECT_EQ(scale.value(), 32768);
  updateTimes(scale, true, 1);
  EXPECT_EQ(scale.value(), 65536);
  updateTimes(scale, false, 1);
  EXPECT_EQ(scale.value(), 65536);
}

TEST(LossScale, CountsFromTheLastOverflow) {
  LossScale scale;
  updateTimes(scale, true, 999);
  updateTimes(scale, false, 1);
  updateTimes(scale, true, 999);
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

TEST(LossScale, StaysWhereItIsFixed) {
  LossScale scale(8);
  EXPECT_FALSE(scale.canShrink());
  updateTimes(scale, false, 10);
  updateTimes(scale, true, 5000);
  EXPECT_EQ(scale.value(), 8);
}

} // namespace
