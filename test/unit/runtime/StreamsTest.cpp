//===- StreamsTest.cpp - Streams, events, errors, arenas ------------------===//
#include "runtime/Error.h"
#include "runtime/core/Context.h"
#include "runtime/device/cpu/CpuFeatures.h"

#include "TestFiles.h"
#include "TestPlan.h"

#include <algorithm>
#include <atomic>
#include <cstring>

using namespace zrt;

namespace {

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

std::atomic<int> calls;

void countUnits(void *const *args, int64_t begin, int64_t end) {
  ++calls;
  for (int64_t i = begin; i < end; ++i)
    static_cast<int32_t *>(args[0])[i] += static_cast<int32_t>(i);
}

const zrt_ref countArgs[] = {deviceRef(0, 4000)};
const zrt_launch_desc countLaunch = {"count.0", countUnits, 1000,     64,
                                     1,         0,          countArgs};

TEST(Launch, HandsEveryUnitOutOnceInPiecesOfGrain) {
  const zrt_plan plan = testPlan([](zrt_context *ctx) {
    return zrt_launch(ctx, ZRT_COMPUTE, &countLaunch);
  });
  for (int threads : {1, 2, 3, 64}) {
    const ContextPtr ctx = create(plan, threads);
    ASSERT_TRUE(isGood(ctx));
    calls = 0;
    ASSERT_EQ(zrt_run(ctx.get(), ZRT_STEP), 0);
    ASSERT_EQ(zrt_run(ctx.get(), ZRT_STEP), 0);
    EXPECT_EQ(calls, 2 * 16); // 1000 / 64, rounded up
    const auto *data = memoryOf<int32_t>(ctx, countArgs[0]);
    for (int i = 0; i < 1000; ++i)
      ASSERT_EQ(data[i], 2 * i) << threads << " threads";
  }
}

TEST(Launch, OfNothingCallsNothing) {
  static const zrt_launch_desc empty = {"empty", countUnits, 0,        64,
                                        1,       0,          countArgs};
  const zrt_plan plan = testPlan(
      [](zrt_context *ctx) { return zrt_launch(ctx, ZRT_COMPUTE, &empty); });
  const ContextPtr ctx = create(plan);
  calls = 0;
  EXPECT_EQ(zrt_run(ctx.get(), ZRT_STEP), 0);
  EXPECT_EQ(calls, 0);
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

// Adds one to a counter on one stream, copies it on another, and so on: every
// link needs its event.
//
//   compute   a += 1   record 0                       wait 1   c += b   record
//   2 h2d                         wait 0  b = a  record 1 host wait 2   d = c
void addOne(void *const *args, int64_t, int64_t) {
  ++*static_cast<int64_t *>(args[0]);
}
void addB(void *const *args, int64_t, int64_t) {
  *static_cast<int64_t *>(args[1]) += *static_cast<int64_t *>(args[0]);
}
const zrt_ref a = deviceRef(0, 8), b = deviceRef(64, 8), c = deviceRef(128, 8),
              d = deviceRef(192, 8);
const zrt_ref addOneArgs[] = {a}, addBArgs[] = {b, c};
const zrt_launch_desc addOneLaunch = {"add_one.0", addOne, 1,         1,
                                      1,           0,      addOneArgs};
const zrt_launch_desc addBLaunch = {"add_b.0", addB, 1, 1, 2, 0, addBArgs};

zrt_status chainStep(zrt_context *ctx) {
  zrt_launch(ctx, ZRT_COMPUTE, &addOneLaunch);
  zrt_record(ctx, ZRT_COMPUTE, 0);
  zrt_wait(ctx, ZRT_H2D, 0);
  zrt_copy(ctx, ZRT_H2D, &a, &b);
  zrt_record(ctx, ZRT_H2D, 1);
  zrt_wait(ctx, ZRT_COMPUTE, 1);
  zrt_launch(ctx, ZRT_COMPUTE, &addBLaunch);
  zrt_record(ctx, ZRT_COMPUTE, 2);
  zrt_wait(ctx, ZRT_HOST_STREAM, 2);
  return zrt_copy(ctx, ZRT_HOST_STREAM, &c, &d);
}

/// d after `steps` steps: 1 + 2 + ... when every event holds.
int64_t runChain(StepFn step, int steps) {
  zrt_plan plan = testPlan(step);
  // Live on from step to step.
  const zrt_output kept[] = {{"a", ZRT_I64, 0, a}, {"c", ZRT_I64, 0, c}};
  plan.outputs = kept;
  plan.output_count = 2;
  const ContextPtr ctx = create(plan);
  for (int i = 0; i < steps; ++i)
    EXPECT_EQ(zrt_run(ctx.get(), ZRT_STEP), 0) << zrt_error_message(ctx.get());
  return *memoryOf<int64_t>(ctx, d);
}

TEST(Events, HoldOnAQuietMachine) { EXPECT_EQ(runChain(chainStep, 50), 1275); }

TEST(Events, HoldUnderChaos) {
  for (int seed = 1; seed <= 20; ++seed) {
    Chaos chaos(seed);
    EXPECT_EQ(runChain(chainStep, 6), 21) << "seed " << seed;
  }
}

TEST(Events, ChaosFindsAMissingOne) {
  // The same without event 1: b is read before it is copied.
  const StepFn broken = [](zrt_context *ctx) {
    zrt_launch(ctx, ZRT_COMPUTE, &addOneLaunch);
    zrt_record(ctx, ZRT_COMPUTE, 0);
    zrt_wait(ctx, ZRT_H2D, 0);
    zrt_copy(ctx, ZRT_H2D, &a, &b);
    zrt_launch(ctx, ZRT_COMPUTE, &addBLaunch);
    zrt_record(ctx, ZRT_COMPUTE, 2);
    zrt_wait(ctx, ZRT_HOST_STREAM, 2);
    return zrt_copy(ctx, ZRT_HOST_STREAM, &c, &d);
  };
  int wrong = 0;
  for (int seed = 1; seed <= 20; ++seed) {
    Chaos chaos(seed);
    wrong += runChain(broken, 6) != 21;
  }
  EXPECT_GT(wrong, 10);
}

TEST(Chaos, PoisonsWhatNoProgramMayReadBeforeItWrites) {
  static std::string seen;
  zrt_plan plan = testPlan(
      [](zrt_context *ctx) {
        const zrt_ref all = deviceRef(0, 100);
        auto *bytes = memoryOf<char>(ctx, all);
        seen.assign(bytes, 100);
        std::memset(bytes, 's', 100);
        return zrt_status{0};
      },
      /*deviceBytes=*/100);
  // State and an output overlap; an input has no bytes; another ends the arena.
  const int64_t nothing[] = {0};
  const zrt_bucket bucket = {"b0", 2, 0, 0, nullptr};
  const zrt_state state = {"param", 0, ZRT_F32, 0, 0, deviceRef(16, 12)};
  const zrt_output output = {"loss", ZRT_F32, 0, deviceRef(24, 8)};
  const zrt_input inputs[] = {
      {"none", ZRT_F32, 1, nothing, deviceRef(60, 0), 0, 0},
      {"lr", ZRT_F32, 0, nullptr, deviceRef(96, 4), 0, 0}};
  plan.buckets = &bucket;
  plan.states = &state;
  plan.outputs = &output;
  plan.inputs = inputs;
  plan.bucket_count = plan.state_count = plan.output_count = 1;
  plan.input_count = 2;
  const auto run = [&] {
    const ContextPtr ctx = create(plan);
    ASSERT_TRUE(isGood(ctx)) << zrt_error_message(ctx.get());
    const zrt_ref all = deviceRef(0, 100);
    std::memset(memoryOf(ctx, all), 'h', 100);
    ASSERT_EQ(zrt_run(ctx.get(), ZRT_STEP), 0);
    const std::string first = seen;
    ASSERT_EQ(zrt_run(ctx.get(), ZRT_STEP), 0);
    std::replace(seen.begin(), seen.end(), 's', 'h');
    EXPECT_EQ(seen, first);
  };
  run();
  EXPECT_EQ(seen, std::string(100, 'h'));
  const zrt::Chaos chaos(1);
  run();
  EXPECT_EQ(seen, std::string(16, '\xff') + std::string(16, 'h') +
                      std::string(64, '\xff') + std::string(4, 'h'));
}

TEST(Events, AWaitBeforeTheRecordIsAnError) {
  const zrt_plan plan = testPlan([](zrt_context *ctx) {
    zrt_wait(ctx, ZRT_H2D, 0);
    return zrt_record(ctx, ZRT_COMPUTE, 0);
  });
  const ContextPtr ctx = create(plan);
  EXPECT_NE(zrt_run(ctx.get(), ZRT_STEP), 0);
  EXPECT_STREQ(zrt_error_message(ctx.get()),
               "event 0 is waited for before it is recorded in run 1");
}

TEST(Events, ARecordOfTheLastStepDoesNotCount) {
  static int step;
  step = 0;
  const zrt_plan plan = testPlan([](zrt_context *ctx) {
    if (++step == 1)
      zrt_record(ctx, ZRT_COMPUTE, 0);
    return zrt_wait(ctx, ZRT_H2D, 0);
  });
  const ContextPtr ctx = create(plan);
  EXPECT_EQ(zrt_run(ctx.get(), ZRT_STEP), 0);
  EXPECT_NE(zrt_run(ctx.get(), ZRT_STEP), 0);
}

TEST(Events, RecordedTwiceOrUnknownAreErrors) {
  const zrt_plan twice = testPlan([](zrt_context *ctx) {
    zrt_record(ctx, ZRT_COMPUTE, 0);
    return zrt_record(ctx, ZRT_H2D, 0);
  });
  ContextPtr ctx = create(twice);
  EXPECT_NE(zrt_run(ctx.get(), ZRT_STEP), 0);
  EXPECT_STREQ(zrt_error_message(ctx.get()),
               "event 0 is recorded twice in run 1");

  const zrt_plan unknown = testPlan(
      [](zrt_context *ctx) { return zrt_record(ctx, ZRT_COMPUTE, 8); });
  ctx = create(unknown);
  EXPECT_NE(zrt_run(ctx.get(), ZRT_STEP), 0);
  EXPECT_STREQ(zrt_error_message(ctx.get()),
               "event 8 does not exist: the plan has 8 events");
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST(Errors, TheFirstIsLatchedAndLaterCallsDoNothing) {
  static zrt_status after;
  const zrt_plan plan = testPlan([](zrt_context *ctx) {
    static const zrt_ref outside = {ZRT_DEVICE, 0, 1 << 16, 8};
    zrt_launch(ctx, ZRT_COMPUTE, &addOneLaunch);
    zrt_record(ctx, ZRT_COMPUTE, 0);
    zrt_copy(ctx, ZRT_H2D, &outside, &b);
    zrt_record(ctx, ZRT_COMPUTE, 999); // a second, other error
    after = zrt_launch(ctx, ZRT_COMPUTE, &addOneLaunch);
    return zrt_status{0}; // a compiled step returns its last call's status
  });
  const ContextPtr ctx = create(plan);
  EXPECT_NE(zrt_run(ctx.get(), ZRT_STEP), 0);
  const std::string message = zrt_error_message(ctx.get());
  EXPECT_EQ(message, "the source of a copy: 8 bytes at offset 65536 reach past "
                     "the device arena of 65536 bytes");
  EXPECT_NE(after, 0);
  const int64_t value = *memoryOf<int64_t>(ctx, a);
  EXPECT_LE(value, 1);
  EXPECT_NE(zrt_run(ctx.get(), ZRT_STEP), 0);
  EXPECT_EQ(*memoryOf<int64_t>(ctx, a), value);
  EXPECT_EQ(zrt_error_message(ctx.get()), message);
}

TEST(Errors, OnAStreamStopWorkButNotEvents) {
  // The kernel of stream h2d throws; compute waits for an event after it.
  static const zrt_launch_desc throwing = {"broken.0",
                                           [](void *const *, int64_t, int64_t) {
                                             throw std::runtime_error(
                                                 "broken kernel");
                                           },
                                           1,
                                           1,
                                           0,
                                           0,
                                           nullptr};
  const zrt_plan plan = testPlan([](zrt_context *ctx) {
    zrt_launch(ctx, ZRT_H2D, &throwing);
    zrt_record(ctx, ZRT_H2D, 0);
    zrt_wait(ctx, ZRT_COMPUTE, 0);
    return zrt_launch(ctx, ZRT_COMPUTE, &addOneLaunch);
  });
  const ContextPtr ctx = create(plan);
  EXPECT_NE(zrt_run(ctx.get(), ZRT_STEP), 0);
  EXPECT_STREQ(zrt_error_message(ctx.get()), "broken kernel");
  EXPECT_EQ(*memoryOf<int64_t>(ctx, a), 0);
}

TEST(Errors, AStepsOwnStatusCounts) {
  const zrt_plan plan = testPlan([](zrt_context *) { return zrt_status{7}; });
  const ContextPtr ctx = create(plan);
  EXPECT_NE(zrt_run(ctx.get(), ZRT_STEP), 0);
  EXPECT_STREQ(zrt_error_message(ctx.get()),
               "the compiled step returned status 7");
}

TEST(Errors, UnknownStreamsAndBadLaunches) {
  ContextPtr ctx;
  const auto messageOf = [&](StepFn step) {
    const zrt_plan plan = testPlan(step);
    ctx = create(plan);
    EXPECT_NE(zrt_run(ctx.get(), ZRT_STEP), 0);
    return std::string(zrt_error_message(ctx.get()));
  };
  EXPECT_EQ(messageOf([](zrt_context *ctx) {
              return zrt_launch(ctx, 8, &addOneLaunch);
            }),
            "stream 8 does not exist");
  static zrt_launch_desc bad = addOneLaunch;
  bad.grain = 0;
  const StepFn launchBad = [](zrt_context *ctx) {
    return zrt_launch(ctx, ZRT_COMPUTE, &bad);
  };
  EXPECT_NE(messageOf(launchBad).find("grain 0"), std::string::npos);
  static const zrt_ref elsewhere = {7, 0, 0, 8};
  bad = addOneLaunch;
  bad.args = &elsewhere;
  EXPECT_EQ(messageOf(launchBad), "add_one.0: tier 7 does not exist");
  static const zrt_ref overflowing = {ZRT_DEVICE, 0, 8, UINT64_MAX};
  bad.args = &overflowing;
  EXPECT_NE(messageOf(launchBad).find("reach past"), std::string::npos);
  EXPECT_EQ(messageOf([](zrt_context *ctx) {
              static const zrt_ref longer = {ZRT_DEVICE, 0, 0, 16};
              return zrt_copy(ctx, ZRT_H2D, &longer, &b);
            }),
            "a copy of 16 bytes goes to a range of 8 bytes");
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

TEST(Create, ArenasHaveThePlansSizeAndAreZero) {
  const zrt_ref host = {ZRT_HOST, 0, 4999, 1};
  for (uint64_t size : {uint64_t{1}, uint64_t{4097}, (uint64_t{4} << 20) + 5}) {
    zrt_plan plan = testPlan(chainStep, size);
    plan.arena_bytes[ZRT_HOST] = 5000;
    const ContextPtr ctx = create(plan);
    ASSERT_TRUE(isGood(ctx));
    EXPECT_EQ(zrt_arena_bytes(ctx.get(), ZRT_DEVICE), size);
    EXPECT_EQ(zrt_arena_bytes(ctx.get(), ZRT_HOST), 5000u);
    EXPECT_EQ(zrt_arena_bytes(ctx.get(), ZRT_NVME), 0u);
    const zrt_ref all = deviceRef(0, size);
    const auto *data = memoryOf<const unsigned char>(ctx, all);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(data) %
                  (size > (2 << 20) ? 2 << 20 : 4096),
              0u);
    for (uint64_t i = 0; i < size; ++i)
      ASSERT_EQ(data[i], 0);
    EXPECT_EQ(*memoryOf<char>(ctx, host), 0);
  }
}

std::string creationError(const zrt_plan &plan, int threads = 1) {
  const ContextPtr ctx = create(plan, threads);
  // It has never been started: it takes calls, and says why it does nothing.
  EXPECT_NE(zrt_run(ctx.get(), ZRT_STEP), 0);
  EXPECT_EQ(zrt_arena_bytes(ctx.get(), ZRT_DEVICE), 0u);
  return zrt_error_message(ctx.get());
}

TEST(Create, RefusesPlansItCannotRun) {
  zrt_plan plan = testPlan(chainStep);
  plan.abi_version = ZRT_ABI_VERSION + 1;
  plan.programs[ZRT_STEP].event_count = UINT32_MAX; // not to be believed
  EXPECT_NE(creationError(plan).find("ABI version"), std::string::npos);

  plan = testPlan(chainStep);
  plan.world_size = 4;
  EXPECT_NE(creationError(plan).find("--world-size=1"), std::string::npos);

  plan = testPlan(chainStep);
  plan.arena_bytes[ZRT_NVME] = 1;
  EXPECT_NE(creationError(plan).find("nvme"), std::string::npos);

  plan = testPlan(chainStep);
  plan.features = "sse2,avx1024";
  plan.cpu = "moon";
  EXPECT_NE(creationError(plan).find(
                "compiled for --cpu=moon; this machine lacks avx1024; compile "
                "with --cpu=x86-64"),
            std::string::npos);

  const zrt_input input = {"tokens", ZRT_I32, 0, nullptr, deviceRef(65533, 4),
                           0,        0};
  plan = testPlan(chainStep);
  plan.inputs = &input;
  plan.input_count = 1;
  EXPECT_NE(creationError(plan).find("input \"tokens\": 4 bytes at offset"),
            std::string::npos);

  plan = testPlan(chainStep);
  EXPECT_NE(creationError(plan, -1).find("threads"), std::string::npos);
  plan.arena_bytes[ZRT_DEVICE] = uint64_t{1} << 60;
  EXPECT_NE(creationError(plan).find("device arena"), std::string::npos);
}

TEST(Create, AChaosSeedThatIsNoNumberIsAnError) {
  const zrt_plan plan = testPlan(chainStep);
  setenv("ZRT_CHAOS", "often", 1);
  const std::string message = creationError(plan);
  unsetenv("ZRT_CHAOS");
  EXPECT_NE(message.find("ZRT_CHAOS=often"), std::string::npos);
}

TEST(Features, MapLlvmNamesToLinuxFlags) {
  const std::set<std::string> flags = {"pni",     "sse4_1",     "sse4_2",
                                       "ssse3",   "popcnt",     "cx16",
                                       "lahf_lm", "avx512_vnni"};
  for (const char *have : {"sse3", "sse4.1", "sse4.2", "avx512vnni", "sahf",
                           "crc32", "sse2", "64bit"})
    EXPECT_TRUE(hasFeature(flags, have)) << have;
  for (const char *lack : {"avx", "avx2", "bmi", "lzcnt", "avx512f", "sse4"})
    EXPECT_FALSE(hasFeature(flags, lack)) << lack;
  EXPECT_EQ(errorOf([&] {
              checkFeatures("sse4.2, +avx2,-avx512f,fma", "native (znver4)",
                            flags);
            }),
            "compiled for --cpu=native (znver4); this machine lacks avx2, fma; "
            "compile with --cpu=x86-64-v2");
  EXPECT_EQ(errorOf([&] { checkFeatures("", "x", {}); }), "");
}

//===----------------------------------------------------------------------===//
// Profiles
//===----------------------------------------------------------------------===//

TEST(Profile, CountsOperationsByGroupAndStream) {
  const zrt_plan plan = testPlan(chainStep);
  const ContextPtr ctx = create(plan);
  ASSERT_EQ(zrt_run(ctx.get(), ZRT_STEP), 0); // before the profile
  ctx->run->profile.start();
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(zrt_run(ctx.get(), ZRT_STEP), 0);
  int found = 0;
  for (const ProfileRow &row : ctx->run->profile.rows()) {
    EXPECT_EQ(row.calls, 3u);
    if (row.group == "add_b") {
      EXPECT_EQ(row.stream, uint32_t{ZRT_COMPUTE});
      EXPECT_EQ(row.bytes, 3 * 16.0);
      ++found;
    } else if (row.group == "copy device -> device") {
      EXPECT_EQ(row.bytes, 3 * 8.0);
      ++found;
    }
  }
  EXPECT_EQ(found, 3); // the copies of two streams are two lines
  EXPECT_NE(ctx->run->profile.table().find("waiting"), std::string::npos);
}

} // namespace
