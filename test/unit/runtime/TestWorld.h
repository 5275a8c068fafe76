//===- TestWorld.h - The world that trainMain finds in a test ---*- C++ -*-===//
#pragma once

#include "runtime/world/World.h"

namespace zrt::test {

/// While it lives, connectWorld on this thread gives `world`; otherwise, a
/// world of one rank.
class WorldOfThisThread {
public:
  explicit WorldOfThisThread(World &world);
  ~WorldOfThisThread();
  WorldOfThisThread(const WorldOfThisThread &) = delete;
  WorldOfThisThread &operator=(const WorldOfThisThread &) = delete;
};

} // namespace zrt::test
