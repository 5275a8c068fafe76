//===- TestWorld.h - The world of trainMain in a test -----------*- C++ -*-===//
#pragma once

#include "runtime/world/World.h"

namespace zrt::test {

/// During its lifetime, connectWorld on this thread returns `world`; otherwise
/// a world of one rank.
class WorldOfThisThread {
public:
  explicit WorldOfThisThread(World &world);
  ~WorldOfThisThread();
  WorldOfThisThread(const WorldOfThisThread &) = delete;
  WorldOfThisThread &operator=(const WorldOfThisThread &) = delete;
};

} // namespace zrt::test
