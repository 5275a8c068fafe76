//===- StreamsTest.cpp - Streams, events, errors, arenas ------------------===//
#include "runtime/core/Context.h"
#include "runtime/device/cpu/gemm/CpuFeatures.h"
#include "runtime/text/Error.h"

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

const zrt_ref counted = deviceRef(0, 4000);
Table countTable(int64_t units) {
  return Table().launch(ZRT_COMPUTE, "count.0", countUnits, units, 64,
                        {tensor(counted, ZRT_I32)});
}

TEST(Launch, HandsEveryUnitOutOnceInPiecesOfGrain) {
  const zrt_plan plan = testPlan(countTable(1000));
  for (int threads : {1, 2, 3, 64}) {
    const ContextPtr ctx = create(plan, threads);
    ASSERT_TRUE(isGood(ctx));
    calls = 0;
    ASSERT_EQ(zrt_run(ctx.get(), ZRT_STEP), 0);
    ASSERT_EQ(zrt_run(ctx.get(), ZRT_STEP), 0);
    EXPECT_EQ(calls, 2 * 16); // 1000 / 64, rounded up
    const auto *data = memoryOf<int32_t>(ctx, counted);
    for (int i = 0; i < 1000; ++i)
      ASSERT_EQ(data[i], 2 * i) << threads << " threads";
  }
}

TEST(Launch, OfNothingCallsNothing) {
  const zrt_plan plan = testPlan(countTable(0));
  const ContextPtr ctx = create(plan);
  calls = 0;
  EXPECT_EQ(zrt_run(ctx.get(), ZRT_STEP), 0);
  EXPECT_EQ(calls, 0);
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

// Adds one to a counter on one stream, copies it on another, and so on: each
// step of the chain needs its event.
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
Table &addOneTo(Table &table) {
  return table.launch(ZRT_COMPUTE, "add_one.0", addOne, 1, 1,
                      {scalar(a, ZRT_I64)});
}
Table &addBToC(Table &table) {
  return table.launch(ZRT_COMPUTE, "add_b.0", addB, 1, 1,
                      {scalar(b, ZRT_I64), scalar(c, ZRT_I64)});
}

/// Without event 1, b is read before it has been written.
Table chain(bool isWhole = true) {
  Table table;
  addOneTo(table).record(ZRT_COMPUTE, 0).wait(ZRT_H2D, 0).copy(ZRT_H2D, a, b);
  if (isWhole)
    table.record(ZRT_H2D, 1).wait(ZRT_COMPUTE, 1);
  addBToC(table)
      .record(ZRT_COMPUTE, 2)
      .wait(ZRT_HOST_STREAM, 2)
      .copy(ZRT_HOST_STREAM, c, d);
  return table;
}

/// Returns d after `steps` steps: 1 + 2 + ... if every event is respected.
int64_t runChain(const Table &step, int steps) {
  zrt_plan plan = testPlan(step);
  // These values persist between steps.
  const zrt_output kept[] = {{"a", ZRT_I64, 0, a}, {"c", ZRT_I64, 0, c}};
  plan.outputs = kept;
  plan.output_count = 2;
  const ContextPtr ctx = create(plan);
  for (int i = 0; i < steps; ++i)
    EXPECT_EQ(zrt_run(ctx.get(), ZRT_STEP), 0) << zrt_error_message(ctx.get());
  return *memoryOf<int64_t>(ctx, d);
}

TEST(Events, HoldOnAQuietMachine) { EXPECT_EQ(runChain(chain(), 50), 1275); }

TEST(Events, HoldUnderChaos) {
  for (int seed = 1; seed <= 20; ++seed) {
    Chaos chaos(seed);
    EXPECT_EQ(runChain(chain(), 6), 21) << "seed " << seed;
  }
}

TEST(Events, ChaosFindsAMissingOne) {
  int wrong = 0;
  for (int seed = 1; seed <= 20; ++seed) {
    Chaos chaos(seed);
    wrong += runChain(chain(/*isWhole=*/false), 6) != 21;
  }
  EXPECT_GT(wrong, 10);
}

TEST(Chaos, PoisonsWhatNoProgramMayReadBeforeItWrites) {
  static std::string seen;
  zrt_plan plan =
      testPlan(Table().launch(ZRT_COMPUTE, "look",
                              [](void *const *args, int64_t, int64_t) {
                                seen.assign(static_cast<char *>(args[0]), 100);
                                std::memset(args[0], 's', 100);
                              },
                              1, 1, {tensor(deviceRef(0, 100), ZRT_I8)}),
               /*deviceBytes=*/100);
  // State and an output overlap; an input has no bytes; another ends the arena.
  const int64_t nothing[] = {0};
  const zrt_bucket bucket = {"b0", 2, 0, 0, nullptr, 0, 0};
  const zrt_state state = {"param",   0, ZRT_F32,
                           ZRT_WHOLE, 0, deviceRef(16, 12)};
  const zrt_output output = {"loss", ZRT_F32, 0, deviceRef(24, 8)};
  const zrt_input inputs[] = {
      {"none", ZRT_F32, 1, nothing, deviceRef(60, 0), 0, 0, 0, 0},
      {"lr", ZRT_F32, 0, nullptr, deviceRef(96, 4), 0, 0, 0, 0}};
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

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

void throws(void *const *, int64_t, int64_t) {
  throw std::runtime_error("broken kernel");
}

TEST(Errors, TheFirstIsLatchedAndLaterRunsDoNothing) {
  Table table;
  addOneTo(table).launch(ZRT_COMPUTE, "broken.0", throws, 1, 1, {});
  const zrt_plan plan = testPlan(addOneTo(table));
  const ContextPtr ctx = create(plan);
  for (int run = 0; run < 2; ++run) {
    EXPECT_NE(zrt_run(ctx.get(), ZRT_STEP), 0);
    EXPECT_STREQ(zrt_error_message(ctx.get()), "broken kernel");
    EXPECT_EQ(*memoryOf<int64_t>(ctx, a), 1);
  }
}

TEST(Errors, OnAStreamStopWorkButNotEvents) {
  // The kernel of stream h2d throws; compute waits for an event after it.
  Table table;
  table.launch(ZRT_H2D, "broken.0", throws, 1, 1, {})
      .record(ZRT_H2D, 0)
      .wait(ZRT_COMPUTE, 0);
  const zrt_plan plan = testPlan(addOneTo(table));
  const ContextPtr ctx = create(plan);
  EXPECT_NE(zrt_run(ctx.get(), ZRT_STEP), 0);
  EXPECT_STREQ(zrt_error_message(ctx.get()), "broken kernel");
  EXPECT_EQ(*memoryOf<int64_t>(ctx, a), 0);
}

TEST(Errors, ThereIsNoSuchProgram) {
  const zrt_plan plan = testPlan(chain());
  const ContextPtr ctx = create(plan);
  EXPECT_NE(zrt_run(ctx.get(), ZRT_MICRO), 0);
  EXPECT_STREQ(zrt_error_message(ctx.get()), "the plan has no program 1");
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

TEST(Create, ArenasHaveThePlansSizeAndAreZero) {
  const zrt_ref host = {ZRT_HOST, 0, 4999, 1};
  for (uint64_t size : {uint64_t{1}, uint64_t{4097}, (uint64_t{4} << 20) + 5}) {
    zrt_plan plan = testPlan(Table(), size);
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
  // A context that has not been started accepts calls, and explains its error.
  EXPECT_NE(zrt_run(ctx.get(), ZRT_STEP), 0);
  EXPECT_EQ(zrt_arena_bytes(ctx.get(), ZRT_DEVICE), 0u);
  return zrt_error_message(ctx.get());
}

TEST(Create, RefusesPlansItCannotRun) {
  zrt_plan plan = testPlan(chain());
  plan.abi_version = ZRT_ABI_VERSION + 1;
  plan.programs[ZRT_STEP].op_count = UINT64_MAX; // not to be believed
  EXPECT_HAS(creationError(plan), "ABI version");

  plan = testPlan(chain());
  plan.world_size = 4;
  EXPECT_HAS(creationError(plan), "--world-size=1");

  plan = testPlan(chain());
  plan.arena_bytes[ZRT_NVME] = 1;
  EXPECT_HAS(creationError(plan), "nvme");

  plan = testPlan(chain());
  plan.features = "sse2,avx1024";
  plan.cpu = "moon";
  EXPECT_HAS(creationError(plan),
             "compiled for --cpu=moon; this machine lacks avx1024; compile "
             "with --cpu=x86-64");

  const zrt_input input = {"tokens", ZRT_I32, 0, nullptr, deviceRef(65533, 4),
                           0,        0,       0, 0};
  plan = testPlan(chain());
  plan.inputs = &input;
  plan.input_count = 1;
  EXPECT_HAS(creationError(plan), "input \"tokens\": 4 bytes at offset");

  plan = testPlan(chain());
  EXPECT_HAS(creationError(plan, -1), "threads");
  plan.arena_bytes[ZRT_DEVICE] = uint64_t{1} << 60;
  EXPECT_HAS(creationError(plan), "device arena");
}

TEST(Create, AChaosSeedThatIsNoNumberIsAnError) {
  const zrt_plan plan = testPlan(chain());
  setenv("ZRT_CHAOS", "often", 1);
  const std::string message = creationError(plan);
  unsetenv("ZRT_CHAOS");
  EXPECT_HAS(message, "ZRT_CHAOS=often");
}

TEST(Features, MapLlvmNamesToLinuxFlags) {
  const std::set<std::string> flags = {"pni",     "sse4_1",      "sse4_2",
                                       "ssse3",   "popcnt",      "cx16",
                                       "lahf_lm", "avx512_vnni", "amx_fp16"};
  for (const char *have : {"sse3", "sse4.1", "sse4.2", "avx512vnni", "amx-fp16",
                           "sahf", "crc32", "sse2", "64bit"})
    EXPECT_TRUE(hasFeature(flags, have)) << have;
  for (const char *lack :
       {"avx", "avx2", "bmi", "lzcnt", "avx512f", "sse4", "amx-bf16"})
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
  const zrt_plan plan = testPlan(chain());
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
  EXPECT_HAS(ctx->run->profile.table(), "waiting");
}

} // namespace
