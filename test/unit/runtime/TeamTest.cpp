#include "runtime/device/cpu/Team.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <sched.h>
#include <set>
#include <sys/resource.h>

using namespace zrt;

namespace {

using Ranges = std::set<std::pair<int64_t, int64_t>>;

Ranges deal(Team &team, int64_t count, int most = 1 << 30) {
  Ranges ranges;
  std::mutex mutex;
  team.parallelFor(
      count,
      [&](int64_t begin, int64_t end) {
        std::lock_guard<std::mutex> lock(mutex);
        ranges.emplace(begin, end);
      },
      most);
  return ranges;
}

TEST(Team, DealsOutEqualRuns) {
  Team team(3);
  EXPECT_EQ(team.size(), 3);
  EXPECT_EQ(deal(team, 0), Ranges{});
  EXPECT_EQ(deal(team, 1), (Ranges{{0, 1}}));
  EXPECT_EQ(deal(team, 2), (Ranges{{0, 1}, {1, 2}}));
  EXPECT_EQ(deal(team, 8), (Ranges{{0, 3}, {3, 6}, {6, 8}}));
  EXPECT_EQ(deal(team, 8, 2), (Ranges{{0, 4}, {4, 8}}));
  EXPECT_EQ(deal(team, 8, 1), (Ranges{{0, 8}}));
}

TEST(Team, ComputesAtTheSameTime) {
  Team team(2);
  std::atomic<int> arrived{0};
  // Each waits for the other: a single thread would not return.
  team.parallelFor(2, [&](int64_t, int64_t) {
    ++arrived;
    while (arrived < 2)
      std::this_thread::yield();
  });
  EXPECT_EQ(arrived, 2);
}

// Successive calls find the helpers awake, later calls asleep; with more
// threads than processors, helpers never stay awake.
TEST(Team, LosesNoCall) {
  const int processors = static_cast<int>(availableProcessors().size());
  for (const int size : {2, 3, 4 * processors + 1}) {
    Team team(size);
    int64_t sum = 0;
    for (int call = 0; call < 3000; ++call) {
      std::atomic<int64_t> items{0};
      team.parallelFor(
          call % 7, [&](int64_t begin, int64_t end) { items += end - begin; });
      sum += items;
      if (call % 500 == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(sum, 3000 / 7 * 21 + 0 + 1 + 2 + 3) << size << " threads";
  }
}

std::vector<int> processorsOfMembers(std::vector<int> processors) {
  std::vector<int> found;
  // A separate thread is pinned instead of this one.
  std::thread([&] {
    std::mutex mutex;
    Team team(static_cast<int>(processors.size()), processors);
    team.parallelFor(team.size(), [&](int64_t, int64_t) {
      const std::vector<int> mine = availableProcessors();
      std::lock_guard<std::mutex> lock(mutex);
      found.insert(found.end(), mine.begin(), mine.end());
    });
  }).join();
  std::sort(found.begin(), found.end());
  return found;
}

TEST(Team, BindsEachMemberToItsProcessor) {
  const std::vector<int> all = availableProcessors();
  EXPECT_EQ(processorsOfMembers({all.back()}), std::vector<int>{all.back()});
  EXPECT_EQ(processorsOfMembers(all), all);
  EXPECT_EQ(availableProcessors(), all);
}

[[noreturn]] void startMoreThanFit(int size) {
  const rlimit limit = {size_t{1} << 30, size_t{1} << 30};
  setrlimit(RLIMIT_AS, &limit);
  try {
    Team team(size);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s", error.what());
    std::exit(7);
  }
  std::exit(0);
}

// In a separate process whose memory has room for only a few stacks.
TEST(TeamDeathTest, OfMoreThreadsThanThereIsRoomForSaysSo) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer needs more memory than the test leaves";
#endif
  EXPECT_EXIT(
      startMoreThanFit(120), testing::ExitedWithCode(7),
      "thread [0-9]+ of 120 cannot be started: .*; use fewer with --threads");
  EXPECT_EXIT(
      startMoreThanFit(1000), testing::ExitedWithCode(7),
      "no memory for the 4,194,304 bytes .4.0 MiB. that each of 1000 threads");
}

} // namespace
