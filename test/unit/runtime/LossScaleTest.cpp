//===- LossScaleTest.cpp - How the scale of a loss moves ------------------===//
#include "runtime/main/LossScale.h"

#include <gtest/gtest.h>

using namespace zrt;

namespace {

void update(LossScale &scale, bool finite, int times) {
  for (int i = 0; i < times; ++i)
    scale.update(finite);
}

TEST(LossScale, HalvesAfterTheSecondOverflow) {
  LossScale scale;
  EXPECT_EQ(scale.value(), 65536);
  update(scale, false, 1); // the first is forgiven
  EXPECT_EQ(scale.value(), 65536);
  update(scale, false, 1);
  EXPECT_EQ(scale.value(), 32768);
  update(scale, false, 1); // and none after it
  EXPECT_EQ(scale.value(), 16384);
}

TEST(LossScale, DoublesAfterAWindowAndForgivesAgain) {
  LossScale scale;
  update(scale, false, 2);
  update(scale, true, 999);
  EXPECT_EQ(scale.value(), 32768);
  update(scale, true, 1);
  EXPECT_EQ(scale.value(), 65536);
  update(scale, false, 1);
  EXPECT_EQ(scale.value(), 65536);
}

TEST(LossScale, CountsFromTheLastOverflow) {
  LossScale scale;
  update(scale, true, 999);
  update(scale, false, 1);
  update(scale, true, 999);
  EXPECT_EQ(scale.value(), 65536);
  update(scale, true, 1);
  EXPECT_EQ(scale.value(), 131072);
}

TEST(LossScale, HasEnds) {
  LossScale scale;
  update(scale, false, 100);
  EXPECT_EQ(scale.value(), 1);
  EXPECT_FALSE(scale.canShrink());
  update(scale, true, 200 * 1000);
  EXPECT_EQ(scale.value(), 0x1p126);
}

TEST(LossScale, StaysWhereItIsFixed) {
  LossScale scale(8);
  EXPECT_FALSE(scale.canShrink());
  update(scale, false, 10);
  update(scale, true, 5000);
  EXPECT_EQ(scale.value(), 8);
}

} // namespace
