//===- PeersTest.cpp - Shared arenas, failed and missing ranks ------------===//
#include "runtime/device/memory/Arena.h"
#include "runtime/transport/Patience.h"
#include "runtime/transport/RankedSum.h"
#include "runtime/world/Process.h"
#include "train/data/StepSum.h"

#include "Collectives.h"
#include "TestFiles.h"

#include <array>
#include <atomic>
#include <barrier>
#include <cmath>
#include <csignal>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

using namespace zrt;
using namespace zrt::test;
using namespace std::chrono_literals;

namespace {

const zrt_plan idlePlan = ranksPlan(2, Table());

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TEST(Memory, ThatOneRankLacksEndsAll) {
  std::array<std::string, 2> messages;
  runRanks(2, [&](World &world) {
    zrt_plan plan = idlePlan;
    if (world.rank() == 1) // more than any machine has
      plan.arena_bytes[ZRT_HOST] = uint64_t{1} << 61;
    zrt_world handle = {world};
    const ContextPtr ctx = zrt::create(plan, 1, &handle);
    messages[size_t(world.rank())] = zrt_error_message(ctx.get());
  });
  EXPECT_EQ(messages[1].find("cannot map"), 0u) << messages[1];
  EXPECT_EQ(messages[0].find("rank 1 failed: cannot map"), 0u) << messages[0];
}

TEST(Arena, ExportsFromAnOffsetOn) {
  // Around the size of a huge page, and with a ragged end.
  for (const uint64_t size : {uint64_t{12288}, (uint64_t{5} << 20) + 100})
    for (const uint64_t begin : {uint64_t{0}, uint64_t{4096}, uint64_t{8192}}) {
      Arena arena;
      arena.allocate(size, ZRT_DEVICE, begin);
      for (uint64_t i = 0; i < size; i += 64)
        ASSERT_EQ(arena.data()[i], std::byte{0});
      for (uint64_t i = 0; i < size; ++i)
        arena.data()[i] = std::byte(i * 7);
      Mapping view;
      ASSERT_EQ(view.mapPeers(arena.exported().card), "");
      ASSERT_EQ(std::memcmp(view.data() + (begin - arena.exported().begin),
                            arena.data() + begin, size - begin),
                0);
      // Earlier bytes are not shared.
      for (uint64_t i = arena.exported().begin; i < begin; ++i)
        ASSERT_EQ(view.data()[i - arena.exported().begin], std::byte{0});
    }
}

TEST(Arena, ExportsNothingUnlessAsked) {
  Arena arena;
  arena.allocate(8192, ZRT_DEVICE, 8192);
  EXPECT_EQ(arena.exported().card.number, -1);
}

TEST(SharedFile, CannotBeCut) {
  SharedFile file;
  file.create("zrt-test", 8192);
  const std::string path =
      "/proc/self/fd/" + std::to_string(file.card().number);
  EXPECT_NE(truncate(path.c_str(), 0), 0);
  EXPECT_NE(truncate(path.c_str(), 16384), 0);
  EXPECT_EQ(std::filesystem::file_size(path), 8192u);
  Mapping own;
  own.mapOwn(file);
  own.data()[8191] = std::byte{7};
}

TEST(SharedFile, IsNotTakenForAnotherFile) {
  SharedFile one, other;
  one.create("one", 4096);
  other.create("other", 4096);
  SharedFileCard card = one.card();
  card.number = other.card().number;
  Mapping view;
  EXPECT_HAS(view.mapPeers(card), "is not the memory of a rank");
  card.number = 1 << 20;
  EXPECT_HAS(view.mapPeers(card), "cannot open /proc/");
}

TEST(RankedSum, RoundsTwiceAndAddsOldBytesLast) {
  // 1/3 of the sum is rounded before the old value is added: no FMA.
  const float a[] = {1.0f, 1e8f}, b[] = {0x1p-24f, 1.0f}, c[] = {0.5f, -1e8f};
  const std::byte *sources[] = {reinterpret_cast<const std::byte *>(a),
                                reinterpret_cast<const std::byte *>(b),
                                reinterpret_cast<const std::byte *>(c)};
  float result[] = {-0.5f, 2.0f};
  rankedSum(sources, 3, ZRT_F32, 2, 1.0f / 3, true, false, ZRT_F32,
            reinterpret_cast<std::byte *>(result));
  for (int i = 0; i < 2; ++i) {
    const volatile float ab = a[i] + b[i];
    const volatile float abc = ab + c[i];
    const volatile float scaled = abc * (1.0f / 3);
    EXPECT_EQ(result[i], scaled + (i == 0 ? -0.5f : 2.0f));
  }
}

/// The sum of sources [first, first + count) of a tree.
float treeOf(const std::vector<std::vector<float>> &sources, size_t first,
             size_t count, size_t i) {
  if (count == 1)
    return sources[first][i];
  const volatile float a = treeOf(sources, first, count / 2, i),
                       b = treeOf(sources, first + count / 2, count / 2, i);
  return a + b;
}

TEST(RankedSum, AddsNeighboursFirstInATree) {
  // Longer than a block, and values whose order matters.
  constexpr size_t kCount = 1200;
  for (const size_t ranks : {1, 2, 4, 8, 32}) {
    std::vector<std::vector<float>> values(ranks, std::vector<float>(kCount));
    std::vector<const std::byte *> sources;
    for (size_t r = 0; r < ranks; ++r) {
      for (size_t i = 0; i < kCount; ++i)
        values[r][i] = std::ldexp(float(1 + (r * 7919 + i * 104729) % 977),
                                  int((r * 31 + i) % 20)) *
                       (r % 3 == 0 ? -1.0f : 1.0f);
      sources.push_back(reinterpret_cast<const std::byte *>(values[r].data()));
    }
    std::vector<float> tree(kCount), line(kCount);
    for (auto *result : {&tree, &line})
      rankedSum(sources.data(), ranks, ZRT_F32, kCount, 0.25f, false,
                result == &tree, ZRT_F32,
                reinterpret_cast<std::byte *>(result->data()));
    for (size_t i = 0; i < kCount; ++i)
      ASSERT_EQ(tree[i], treeOf(values, 0, ranks, i) * 0.25f) << ranks;
    EXPECT_EQ(tree == line, ranks <= 2);
  }
}

TEST(StepSum, GoesOnWithTheTreeOfRanks) {
  for (const size_t steps : {1, 2, 4, 16}) {
    std::vector<std::vector<float>> values;
    StepSum tree(true), line(false);
    double sum = 0;
    for (size_t k = 0; k < steps; ++k) {
      values.push_back({float(k * k + 1) / 3 * (k % 2 == 0 ? 1e4f : -1.0f)});
      tree.add(values.back()[0]);
      line.add(values.back()[0]);
      sum += values.back()[0];
    }
    EXPECT_EQ(tree.get(), double(treeOf(values, 0, steps, 0)));
    EXPECT_EQ(line.get(), sum);
  }
}

//===----------------------------------------------------------------------===//
// Processes
//===----------------------------------------------------------------------===//

TEST(Process, IsGoneWhenItIsAZombie) {
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  EXPECT_NE(processStart(child), 0u);
  EXPECT_EQ(processStart(child), processStart(child));
  kill(child, SIGKILL);
  siginfo_t info;
  waitid(P_PID, id_t(child), &info, WEXITED | WNOWAIT); // it stays a zombie
  EXPECT_EQ(processStart(child), 0u);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(processStart(child), 0u);
}

//===----------------------------------------------------------------------===//
// Waits for ranks that fail
//===----------------------------------------------------------------------===//

// Rank 1 does not take part; each test chooses what it does instead.
const zrt_collective_desc exchange =
    collectiveWith("all_gather of b2", ZRT_ALL_GATHER, 8, 16,
                   slice(exportedRef(0, 16)), whole(exportedRef(4096, 32)));

/// Rank 0 has given up.  (Not a message: the world has failed as well.)
std::atomic<bool> over;
void untilRank0IsOver() {
  while (!over)
    std::this_thread::sleep_for(1ms);
}

/// Returns rank 0's message when rank 1 does `instead`.
template <typename Instead>
std::string messageOfRank0(Instead instead,
                           std::optional<WaitLimits> limits = {}) {
  const zrt_plan plan = ranksPlan(2, Table().collective(ZRT_GATHER, exchange));
  std::string message;
  over = false;
  runRanks(2, [&](World &world) {
    ContextPtr ctx = create(plan, world);
    if (world.rank() == 1)
      return instead(world, ctx);
    Peers &peers = peersOf(ctx);
    if (limits)
      peers.limits = *limits;
    EXPECT_NE(zrt_run(ctx.get(), ZRT_STEP), 0);
    message = zrt_error_message(ctx.get());
    over = true;
  });
  return message;
}

TEST(Faults, AFailedOperationIsNamed) {
  EXPECT_EQ(messageOfRank0([](World &, ContextPtr &ctx) {
              ctx->run->latch("it broke");
              untilRank0IsOver();
            }),
            "rank 1 failed: it broke (rank 0 was waiting for it in all_gather "
            "of b2)");
}

TEST(Faults, AnErrorOutsideOfARunIsNamed) {
  EXPECT_EQ(messageOfRank0([](World &world, ContextPtr &ctx) {
              world.abort("the disk is full");
              world.abort("something later");
              ctx.reset();
            }),
            "rank 1 failed: the disk is full (rank 0 was waiting for it in "
            "all_gather of b2)");
}

TEST(Faults, ARankThatHasFinishedIsNamed) {
  EXPECT_EQ(messageOfRank0([](World &, ContextPtr &ctx) { ctx.reset(); }),
            "rank 1 has finished while rank 0 waited for it in all_gather of "
            "b2");
}

TEST(Faults, AStoppedHeartbeatIsNamed) {
  WaitLimits limits;
  limits.silence = 300ms;
  EXPECT_EQ(messageOfRank0(
                [](World &, ContextPtr &ctx) {
                  peersOf(ctx).stopHeartbeat();
                  untilRank0IsOver();
                },
                limits),
            fmt::format("rank 1 (process {}) has not moved for 0.3 s (it is "
                        "stopped) while rank 0 waited for it in all_gather of "
                        "b2",
                        getpid()));
}

TEST(Faults, AHeartbeatAloneIsWaitedForUntilTheTimeOut) {
  WaitLimits limits;
  limits.silence = 300ms;
  limits.arrival = 900ms;
  EXPECT_EQ(
      messageOfRank0([](World &, ContextPtr &) { untilRank0IsOver(); }, limits),
      "rank 1 has not come for 0.9 s while rank 0 waited for it in "
      "all_gather of b2; set ZRT_TIMEOUT to more seconds if a step takes "
      "so long");
}

TEST(Faults, TheFirstOfAChainIsNamed) {
  // Rank 0 waits for rank 1, which waits for rank 2, which fails.
  std::string messages[3];
  std::barrier<> everyone(3);
  const zrt_plan plan = ranksPlan(3, Table());
  runRanks(3, [&](World &world) {
    const int rank = world.rank();
    const ContextPtr ctx = create(plan, world);
    if (rank == 2)
      ctx->run->latch("no memory");
    everyone.arrive_and_wait();
    messages[rank] = errorOf([&] {
      Patience patience(peersOf(ctx), (rank + 1) % 3, "a test");
      while (true)
        patience.look();
    });
    everyone.arrive_and_wait();
  });
  EXPECT_EQ(messages[1], "rank 2 failed: no memory (rank 1 was waiting for it "
                         "in a test)");
  EXPECT_EQ(messages[0], "rank 2 failed: no memory (rank 0 was waiting for "
                         "rank 1 in a test)");
  EXPECT_EQ(messages[2], "no memory");
}

TEST(Threads, AreSharedByTheRanksOfAHost) {
  runRanks(2, [](World &world) {
    zrt_world handle = {world};
    const ContextPtr ctx = zrt::create(idlePlan, 0, &handle);
    ASSERT_TRUE(isGood(ctx));
    const Peers &peers = peersOf(ctx);
    const std::vector<int> shares[] = {{2, 3, 5}, {7, 11, 13}};
    EXPECT_EQ(peers.shareOf({2, 3, 5, 7, 11, 13, 17}), shares[world.rank()]);
    EXPECT_EQ(peers.shareOf({2}), std::vector<int>());
    EXPECT_GE(zrt_threads(ctx.get()), 1);
  });
}

TEST(Peers, OnImitatedHostsShareNoMemory) {
  const Environment two("ZRT_RANKS_PER_HOST", "2");
  const zrt_plan plan = ranksPlan(4, Table());
  runRanks(4, [&](World &world) {
    const ContextPtr ctx = create(plan, world);
    const Peers &peers = peersOf(ctx);
    for (int rank = 0; rank < 4; ++rank)
      EXPECT_EQ(peers.local(rank),
                rank != world.rank() && rank / 2 == world.rank() / 2);
    EXPECT_NE(peers.link(), nullptr);
    EXPECT_STREQ(zrt_report(ctx.get(), ZRT_NOTE), "");
  });
}

/// Returns the errors with which the ranks of a plan start, which needs its
/// groups on one host each; hosts have `perHost` ranks.
std::vector<std::string> errorsOfHosts(int ranks, uint32_t members,
                                       int perHost) {
  const Environment hosts("ZRT_RANKS_PER_HOST", std::to_string(perHost));
  zrt_plan plan = ranksPlan(ranks, Table());
  plan.group_size = plan.ranks_per_host = members;
  std::vector<std::string> errors(static_cast<size_t>(ranks));
  runRanks(ranks, [&](World &world) {
    zrt_world handle = {world};
    const ContextPtr ctx = zrt::create(plan, 1, &handle);
    errors[size_t(world.rank())] = zrt_error_message(ctx.get());
  });
  return errors;
}

TEST(Peers, OfAGroupAreOnOneHostIfThePlanNeedsIt) {
  using Errors = std::vector<std::string>;
  EXPECT_EQ(errorsOfHosts(4, 2, 2), Errors(4));
  // Several groups may be on one host.
  EXPECT_EQ(errorsOfHosts(4, 2, 4), Errors(4));
  EXPECT_EQ(
      errorsOfHosts(6, 3, 2),
      Errors(6, "compiled for --ranks-per-host=3, but ranks 0 and 2 of group 0 "
                "are on different hosts; start 3 ranks on each host (mpirun "
                "--map-by ppr:3:node), or compile with the number that is "
                "started there"));
  EXPECT_HAS(errorsOfHosts(4, 2, 3)[0], "but ranks 2 and 3 of group 1 are");
}

TEST(Peers, DoNotMeetIfTheirGroupsDiffer) {
  runRanks(4, [](World &world) {
    zrt_plan plan = ranksPlan(4, Table());
    plan.group_size = world.rank() == 3 ? 0 : 2;
    zrt_world handle = {world};
    const ContextPtr ctx = zrt::create(plan, 1, &handle);
    EXPECT_HAS(std::string(zrt_error_message(ctx.get())),
               "rank 3 runs another plan than rank 0");
  });
}

TEST(Environment, NumbersAreChecked) {
  const Environment bad("ZRT_TIMEOUT", "soon");
  EXPECT_ERROR("ZRT_TIMEOUT=soon is not a number",
               environmentNumber("ZRT_TIMEOUT", 1, 1000));
  // More nanoseconds than 64 bits can count.
  const Environment large("ZRT_TIMEOUT", "9300000000");
  EXPECT_ERROR("ZRT_TIMEOUT=9300000000 is not a number from 1 to 1000000000",
               timeOutOfArrival());
}

} // namespace
