//===- SpikeGuardTest.cpp - The limits of a step --------------------------===//
#include "train/schedule/SpikeGuard.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace zrt;

namespace {

TEST(SpikeGuard, SaysNothingBeforeItHasSeenEnough) {
  SpikeGuard guard({.sigmas = 3, .window = 100});
  for (int i = 0; i < 31; ++i) {
    guard.add(2, 1);
    EXPECT_TRUE(std::isinf(guard.limits().loss));
    EXPECT_TRUE(std::isinf(guard.limits().norm));
  }
  guard.add(2, 1);
  EXPECT_TRUE(std::isfinite(guard.limits().loss));
}

TEST(SpikeGuard, IsOffWithoutSigmas) {
  SpikeGuard guard({});
  for (int i = 0; i < 1000; ++i)
    guard.add(2, 1);
  EXPECT_FALSE(guard.isOn());
  EXPECT_TRUE(std::isinf(guard.limits().loss));
}

TEST(SpikeGuard, LimitsByMeanAndDeviation) {
  SpikeGuard guard({.sigmas = 3, .window = 4});
  for (const double loss : {1.0, 3.0, 1.0, 3.0})
    guard.add(loss, 10 * loss);
  EXPECT_DOUBLE_EQ(guard.limits().loss, 2 + 3 * 1);
  EXPECT_DOUBLE_EQ(guard.limits().norm, 20 + 3 * 10);
}

TEST(SpikeGuard, LeavesRoomWhereNothingMoves) {
  SpikeGuard guard({.sigmas = 5, .window = 4});
  for (int i = 0; i < 4; ++i)
    guard.add(2, 4);
  EXPECT_DOUBLE_EQ(guard.limits().loss, 2 + 5 * 0.02);
  EXPECT_DOUBLE_EQ(guard.limits().norm, 4 + 5 * 0.04);
}

TEST(SpikeGuard, ForgetsWhatIsOlderThanItsWindow) {
  SpikeGuard guard({.sigmas = 3, .window = 4});
  guard.add(1e9, 1e9);
  for (const double loss : {1.0, 3.0, 1.0, 3.0})
    guard.add(loss, loss);
  EXPECT_DOUBLE_EQ(guard.limits().loss, 5);
}

TEST(SpikeGuard, GoesOnElsewhere) {
  SpikeGuard one({.sigmas = 3, .window = 6}), other({.sigmas = 3, .window = 6}),
      shorter({.sigmas = 3, .window = 4});
  for (int i = 0; i < 9; ++i)
    one.add(1.0 / (i + 1), std::sin(i));
  one.countSpike();
  other.resumeFrom(one.state());
  EXPECT_EQ(other.limits().loss, one.limits().loss);
  EXPECT_EQ(other.limits().norm, one.limits().norm);
  EXPECT_EQ(other.spikes(), 1);
  shorter.resumeFrom(one.state());
  EXPECT_EQ(shorter.state().losses.size(), 4u);
  EXPECT_EQ(shorter.state().losses.back(), 1.0 / 9);
}

} // namespace
