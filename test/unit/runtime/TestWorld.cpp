//===- TestWorld.cpp - The world of trainMain in a test -------------------===//
#include "TestWorld.h"

#include "ThreadWorld.h"

using namespace zrt;
using namespace zrt::test;

namespace {

thread_local World *current = nullptr;

/// A world that trainMain may own, although the test keeps the real one.
class Borrowed final : public World {
public:
  explicit Borrowed(World &world) : world(world) {}
  int rank() const override { return world.rank(); }
  int size() const override { return world.size(); }
  void allGather(const void *mine, size_t bytes, void *all) override {
    world.allGather(mine, bytes, all);
  }
  void send(int to, const void *data, size_t bytes) override {
    world.send(to, data, bytes);
  }
  void receive(int from, void *data, size_t bytes) override {
    world.receive(from, data, bytes);
  }
  void sendAlarm(const Alarm &alarm) override { world.sendAlarm(alarm); }

private:
  World &world;
};

} // namespace

WorldOfThisThread::WorldOfThisThread(World &world) { current = &world; }
WorldOfThisThread::~WorldOfThisThread() { current = nullptr; }

std::unique_ptr<World> zrt::connectWorld(uint32_t ranks) {
  static Mailboxes alone;
  thread_local ThreadWorld solo(alone, 0, 1);
  World &world = current ? *current : solo;
  if (static_cast<uint32_t>(world.size()) != ranks)
    fail("{} ranks, but the plan has {}", world.size(), ranks);
  return std::make_unique<Borrowed>(world);
}
