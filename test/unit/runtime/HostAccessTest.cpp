//===- HostAccessTest.cpp - Access by zrt_read and zrt_write --------------===//
#include "Collectives.h"

#include <csignal>
#include <cstdio>
#include <numeric>

using namespace zrt;
using namespace zrt::test;

namespace {

const zrt_ref accessed = deviceRef(4000, 400);

void *seen;
void addOneToAll(void *const *args, int64_t begin, int64_t end) {
  seen = args[0];
  for (int64_t i = begin; i < end; ++i)
    static_cast<int32_t *>(args[0])[i] += 1;
}
const zrt_plan plan =
    testPlan(Table().launch(ZRT_COMPUTE, "add_one.0", addOneToAll, 100, 1 << 20,
                            {tensor(accessed, ZRT_I32)}));

/// Returns the numbers after a run that began with 0, 1, 2, ...
std::vector<int32_t> afterARun(const ContextPtr &ctx) {
  std::vector<int32_t> numbers(100);
  std::iota(numbers.begin(), numbers.end(), 0);
  EXPECT_EQ(zrt_write(ctx.get(), &accessed, numbers.data(), 400), 0);
  EXPECT_EQ(zrt_run(ctx.get(), ZRT_STEP), 0);
  std::fill(numbers.begin(), numbers.end(), -1);
  EXPECT_EQ(zrt_read(ctx.get(), &accessed, numbers.data(), 400), 0);
  return numbers;
}

TEST(HostAccess, ReadsWhatKernelsWriteAndTheOtherWayRound) {
  const ContextPtr ctx = create(plan);
  const std::vector<int32_t> numbers = afterARun(ctx);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(numbers[size_t(i)], i + 1);
}

TEST(HostAccess, OfAPartLeavesTheRestAlone) {
  const ContextPtr ctx = create(plan);
  (void)afterARun(ctx);
  const zrt_ref third = deviceRef(accessed.offset + 8, 392);
  const int32_t mine = 77;
  ASSERT_EQ(zrt_write(ctx.get(), &third, &mine, sizeof mine), 0);
  int32_t four[4];
  ASSERT_EQ(zrt_read(ctx.get(), &accessed, four, sizeof four), 0);
  EXPECT_EQ(std::vector<int32_t>(four, four + 4),
            (std::vector<int32_t>{1, 2, 77, 4}));
  // A read of 0 bytes succeeds.
  EXPECT_EQ(zrt_read(ctx.get(), &accessed, nullptr, 0), 0);
}

TEST(HostAccess, OutsideIsAnError) {
  const auto message = [](const zrt_ref &ref, uint64_t bytes) {
    const ContextPtr ctx = create(plan);
    char byte[64];
    EXPECT_NE(zrt_read(ctx.get(), &ref, byte, bytes), 0);
    return std::string(zrt_error_message(ctx.get()));
  };
  EXPECT_EQ(message(deviceRef(0, 4), 5),
            "host access: 5 bytes of a range of 4 bytes");
  EXPECT_EQ(message(deviceRef((1 << 16) - 4, 8), 4),
            "host access: 8 bytes at offset 65,532 reach past the device arena "
            "of 65,536 bytes (64.0 KiB)");
  EXPECT_EQ(message({ZRT_TIER_COUNT, 0, 0, 0}, 0),
            "host access: tier 3 does not exist");
}

TEST(HostAccess, DoesNothingAfterAnError) {
  const ContextPtr ctx = create(plan);
  ctx->run->latch("it broke");
  int32_t value = 5;
  EXPECT_NE(zrt_read(ctx.get(), &accessed, &value, sizeof value), 0);
  EXPECT_EQ(value, 5);
}

//===----------------------------------------------------------------------===//
// Guarded arenas
//===----------------------------------------------------------------------===//

TEST(Guard, ChangesNothingForThoseWhoAsk) {
  const std::vector<int32_t> expected = afterARun(create(plan));
  const Environment guard("ZRT_GUARD", "1");
  const ContextPtr ctx = create(plan);
  EXPECT_EQ(afterARun(ctx), expected);
  EXPECT_EQ(afterARun(ctx), expected);
  const zrt::Chaos chaos(1);
  zrt_plan kept = plan; // only state and outputs are kept
  const zrt_output output = {"values", ZRT_I32, 0, accessed};
  kept.outputs = &output;
  kept.output_count = 1;
  EXPECT_EQ(afterARun(create(kept)), expected);
}

TEST(Guard, LetsRanksReadEachOther) {
  const Environment guard("ZRT_GUARD", "1");
  // Around the size of a huge page; private memory comes first.
  for (const uint64_t elements : {uint64_t{64}, uint64_t{1} << 20}) {
    const zrt_ref all = exportedRef(0, elements * 4);
    const zrt_collective_desc gather = {
        "all_gather of b0", ZRT_ALL_GATHER,    0,          elements,     1.0,
        elements * 2,       sliceOfWhole(all), whole(all), ZRT_OVER_ALL, 0};
    const zrt_plan plan =
        ranksPlan(2, Table().collective(ZRT_GATHER, gather), elements * 4);
    runRanks(2, [&](World &world) {
      const ContextPtr ctx = create(plan, world);
      const uint64_t half = elements / 2;
      const std::vector<float> mine(half, 1.0f + float(world.rank()));
      const zrt_ref slice =
          exportedRef(uint64_t(world.rank()) * half * 4, half * 4);
      const float before = 0.5f;
      const zrt_ref own = deviceRef(4096, 4);
      ASSERT_EQ(zrt_write(ctx.get(), &slice, mine.data(), half * 4), 0);
      ASSERT_EQ(zrt_write(ctx.get(), &own, &before, 4), 0);
      ASSERT_EQ(zrt_run(ctx.get(), ZRT_STEP), 0)
          << zrt_error_message(ctx.get());
      std::vector<float> gathered(elements), want(half, 1.0f);
      ASSERT_EQ(zrt_read(ctx.get(), &all, gathered.data(), elements * 4), 0);
      want.resize(elements, 2.0f);
      EXPECT_EQ(gathered, want);
      float after = 0;
      ASSERT_EQ(zrt_read(ctx.get(), &own, &after, 4), 0);
      EXPECT_EQ(after, before);
    });
  }
}

TEST(Guard, IsANumber) {
  const Environment guard("ZRT_GUARD", "yes");
  EXPECT_STREQ(zrt_error_message(create(plan).get()),
               "ZRT_GUARD=yes is not a number from 1 to 1; correct it or unset "
               "it");
}

/// Accesses an arena by an address from a kernel, as a careless main() would.
void strayAccess(bool isWrite) {
  const ContextPtr ctx = create(plan);
  (void)afterARun(ctx);
  auto *address = static_cast<volatile int32_t *>(seen);
  if (isWrite)
    *address = 1;
  else
    (void)*address;
  std::fprintf(stderr, "nobody noticed");
}

TEST(GuardDeathTest, AStrayAccessFaults) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer catches the signal";
#endif
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  for (const bool isWrite : {false, true}) {
    const Environment guard("ZRT_GUARD", "1");
    EXPECT_EXIT(strayAccess(isWrite), testing::KilledBySignal(SIGSEGV), "^$");
  }
  // Without the guard the access is not noticed.
  EXPECT_EXIT(
      {
        strayAccess(false);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "nobody noticed");
}

} // namespace
