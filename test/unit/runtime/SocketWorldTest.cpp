//===- SocketWorldTest.cpp - Ranks that are connected by sockets ----------===//
#include "runtime/world/SocketWorld.h"

#include "TestFiles.h"

#include <cstdlib>
#include <fmt/format.h>
#include <future>
#include <thread>
#include <unistd.h>

using namespace zrt;

namespace {

/// Two ranks of which each is a thread; rank 1 ends after rank 0.
template <typename First, typename Second>
void runTwo(First first, Second second) {
  const std::string job = fmt::format(
      "{} {}", getpid(),
      testing::UnitTest::GetInstance()->current_test_info()->name());
  setenv("ZRT_TIMEOUT", "2", 1);
  std::promise<void> end;
  std::thread other([&] {
    EXPECT_EQ(errorOf([&] {
                SocketWorld world({1, 2, job});
                second(world);
                end.get_future().wait();
              }),
              "");
  });
  EXPECT_EQ(errorOf([&] {
              SocketWorld world({0, 2, job});
              first(world);
            }),
            "");
  end.set_value();
  other.join();
  unsetenv("ZRT_TIMEOUT");
}

TEST(SocketWorld, TellsWhyARankDoesNotCome) {
  const std::string gone = "rank 2 (process 7) is gone";
  std::promise<void> begin;
  runTwo(
      [&](World &world) {
        begin.set_value();
        // Each wait says so, in the words of the rank that has noticed it.
        for (int i = 0; i < 2; ++i)
          EXPECT_EQ(errorOf([&] { world.barrier(); }), gone);
        EXPECT_TRUE(world.hasLostPeer());
      },
      [&](World &world) {
        begin.get_future().wait();
        world.sendAlarm({-1, gone, -1});
      });
}

TEST(SocketWorld, WaitsForARankNoLongerThanItIsTold) {
  runTwo(
      [](World &world) {
        EXPECT_EQ(errorOf([&] { world.barrier(); }),
                  "rank 1 has not come for 2 s while rank 0 waited for it in a "
                  "message between all ranks; set ZRT_TIMEOUT to more seconds "
                  "if it takes so long");
        EXPECT_TRUE(world.hasLostPeer());
      },
      [](World &) {});
}

} // namespace
