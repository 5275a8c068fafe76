//===- CollectivesTest.cpp - Collectives against simple loops -------------===//
//
// Each rank is a thread of this process, but maps the others' files as if it
// were a process.  A run of the program below fills every source, exchanges,
// and overwrites the sources at once; results are compared bit for bit.
//
//===----------------------------------------------------------------------===//
#include "runtime/numbers/HalfArrays.h"
#include "runtime/numbers/HalfFloats.h"
#include "runtime/transport/RankedSum.h"

#include "Collectives.h"
#include "TestFiles.h"

#include <cmath>
#include <cstring>

using namespace zrt;
using namespace zrt::test;

namespace {

//===----------------------------------------------------------------------===//
// A program of collectives
//===----------------------------------------------------------------------===//

/// An element of a source; magnitudes differ so much that a sum's order
/// matters.
float element(uint64_t rank, uint64_t run, uint64_t which, uint64_t i) {
  uint64_t x = i * 0x9e3779b97f4a7c15u + rank * 0xc2b2ae3d27d4eb4fu +
               run * 0x165667b19e3779f9u + which * 77;
  x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u;
  x ^= x >> 32;
  return std::ldexp(float(int64_t(x % 4001) - 2000), int(x >> 16 & 31) - 16);
}

/// The same value rounded to `dtype`; for f16 small enough for a sum.
float elementOf(zrt_dtype dtype, uint64_t rank, uint64_t run, uint64_t which,
                uint64_t i) {
  const float value = element(rank, run, which, i);
  if (dtype == ZRT_BF16)
    return widenBrain(narrowBrain(value));
  if (dtype == ZRT_F16)
    return widenHalf(narrowHalf(std::ldexp(value, -12)));
  return value;
}

struct Job {
  std::vector<zrt_collective_desc> collectives;
  std::vector<zrt_stream> streams;
  uint64_t exported = 0; ///< bytes; 0: a MiB each
  uint32_t context = 1;  ///< ranks that share a sequence
};
Job job;

// Private memory: rank and run, and the number of each collective.
const zrt_ref kRankAndRun = deviceRef(0, 16);
zrt_ref numberRef(size_t which) { return deviceRef(64 + which * 8, 8); }

template <zrt_dtype Type>
void fill(void *const *args, int64_t begin, int64_t end) {
  auto *source = static_cast<std::byte *>(args[0]);
  // The arena starts with rank and run.
  const auto *which = static_cast<const uint64_t *>(args[1]);
  const uint64_t *head = which - 8 - *which;
  for (int64_t i = begin; i < end; ++i) {
    const float value = elementOf(Type, head[0], head[1], *which, uint64_t(i));
    narrow(&value, 1, Type, source + uint64_t(i) * dtypeBytes(Type));
  }
}

template <zrt_dtype Type>
void wipe(void *const *args, int64_t begin, int64_t end) {
  const uint64_t size = dtypeBytes(Type);
  std::memset(static_cast<std::byte *>(args[0]) + uint64_t(begin) * size, 0xff,
              uint64_t(end - begin) * size);
}

struct CollectiveKernels {
  zrt_kernel_fn fill, wipe;
};
CollectiveKernels kernelsOf(zrt_dtype dtype) {
  if (dtype == ZRT_BF16)
    return {fill<ZRT_BF16>, wipe<ZRT_BF16>};
  if (dtype == ZRT_F16)
    return {fill<ZRT_F16>, wipe<ZRT_F16>};
  return {fill<ZRT_F32>, wipe<ZRT_F32>};
}

/// Fills every source, exchanges, and overwrites the sources at once.
Table tableOfJob() {
  Table table;
  for (size_t i = 0; i < job.collectives.size(); ++i) {
    const zrt_stream stream = job.streams[i];
    const zrt_collective_desc &desc = job.collectives[i];
    const zrt_dtype dtype = desc.source.dtype;
    const std::vector<zrt_operand> args = {tensor(desc.source.ref, dtype),
                                           tensor(numberRef(i), ZRT_I64)};
    const auto [fill, wipe] = kernelsOf(dtype);
    const auto count = int64_t(elementsIn(desc.source));
    table.launch(stream, "fill", fill, count, std::max<int64_t>(count, 1), args)
        .collective(stream, desc);
    if (desc.source.ref.offset != desc.result.ref.offset)
      table.launch(stream, "wipe", wipe, count, std::max<int64_t>(count, 1),
                   args);
  }
  return table;
}

/// `count` elements at `offset` of the exported bytes: the whole of `elements`,
/// all elements if there are few, or a rank's slice.
zrt_operand operandAt(uint64_t offset, uint64_t count, zrt_dtype dtype,
                      uint32_t extent) {
  return {exportedRef(offset, count * dtypeBytes(dtype)), dtype, extent};
}

/// Appends a collective whose operands lie at `offset` of the exported bytes.
/// A whole source is filled completely; otherwise only the rank's slice is.
void add(zrt_stream stream, uint32_t kind, uint64_t elements, uint64_t source,
         uint64_t result, bool accumulate, uint64_t wire,
         zrt_dtype from = ZRT_F32, zrt_dtype to = ZRT_F32) {
  const uint64_t which = job.collectives.size();
  zrt_collective_desc desc = {};
  static const char *const names[] = {
      "all_gather of b0", "reduce_scatter of b1", "all_reduce of norm",
      "all_to_all of heads"};
  desc.name = names[kind];
  desc.kind = kind;
  desc.elements = elements;
  desc.scale = kind == ZRT_ALL_GATHER || kind == ZRT_ALL_TO_ALL ? 1.0 : 1.0 / 3;
  desc.over = kind == ZRT_ALL_TO_ALL ? ZRT_OVER_CONTEXT : ZRT_OVER_ALL;
  desc.accumulate = accumulate;
  desc.wire_bytes = wire;
  const uint64_t at = which << 20;
  const auto extentOf = [&](uint64_t count, bool isSlice) -> uint32_t {
    if (kind == ZRT_ALL_REDUCE || kind == ZRT_ALL_TO_ALL)
      return ZRT_MEMBERS;
    if (!isSlice)
      return ZRT_WHOLE;
    return count == elements ? ZRT_SLICE_OF_WHOLE : ZRT_SLICE;
  };
  desc.source =
      operandAt(at, source, from, extentOf(source, kind == ZRT_ALL_GATHER));
  desc.result = operandAt(at + (512 << 10), result, to,
                          extentOf(result, kind == ZRT_REDUCE_SCATTER));
  job.collectives.push_back(desc);
  job.streams.push_back(stream);
}

/// A gather of slices, and a sum that leaves slices, of 4 bytes an element.
void addGather(uint64_t ranks, uint64_t slice) {
  add(ZRT_GATHER, ZRT_ALL_GATHER, ranks * slice, slice, ranks * slice, false,
      (ranks - 1) * slice * 4);
}
void addReduce(uint64_t ranks, uint64_t slice, bool accumulate) {
  add(ZRT_REDUCE, ZRT_REDUCE_SCATTER, ranks * slice, ranks * slice, slice,
      accumulate, (ranks - 1) * slice * 4);
}

/// A piece of `share` elements for each rank of a sequence.
void addExchange(uint64_t share, zrt_dtype dtype = ZRT_F32) {
  const uint64_t all = job.context * share;
  add(ZRT_CONTEXT, ZRT_ALL_TO_ALL, all, all, all, false,
      (all - share) * dtypeBytes(dtype), dtype, dtype);
}

//===----------------------------------------------------------------------===//
// Expected results
//===----------------------------------------------------------------------===//

/// Writes initial values of results that accumulate.
void writeOld(const zrt_operand &result, std::byte *to) {
  for (uint64_t i = 0; i < elementsIn(result); ++i) {
    const float value = float(i % 7) * 0.3f;
    narrow(&value, 1, result.dtype, to + i * dtypeBytes(result.dtype));
  }
}

std::vector<float> oldValues(const zrt_operand &result) {
  std::vector<std::byte> bytes(result.ref.bytes);
  writeOld(result, bytes.data());
  std::vector<float> values(elementsIn(result));
  widen(bytes.data(), result.dtype, values.size(), values.data());
  return values;
}

std::vector<float> expected(const zrt_collective_desc &desc, uint64_t which,
                            uint64_t rank, uint64_t ranks, uint64_t run) {
  std::vector<float> result;
  const uint64_t slice = desc.elements / ranks;
  const auto one = [&](uint64_t r, uint64_t i) {
    return elementOf(desc.source.dtype, r, run, which, i);
  };
  const auto sum = [&](uint64_t i) {
    float total = one(0, i);
    for (uint64_t r = 1; r < ranks; ++r)
      total = total + one(r, i);
    return total * float(desc.scale);
  };
  if (desc.kind == ZRT_ALL_GATHER) {
    const bool whole = desc.source.extent == ZRT_SLICE_OF_WHOLE;
    for (uint64_t i = 0; i < desc.elements; ++i)
      result.push_back(one(i / slice, whole ? i : i % slice));
  } else if (desc.kind == ZRT_REDUCE_SCATTER) {
    const std::vector<float> old = oldValues(desc.result);
    for (uint64_t i = 0; i < slice; ++i) {
      const volatile float scaled = sum(rank * slice + i);
      result.push_back(desc.accumulate ? scaled + old[i] : scaled);
    }
  } else if (desc.kind == ZRT_ALL_TO_ALL) {
    const uint64_t share = desc.elements / job.context,
                   own = rank % job.context;
    for (uint64_t i = 0; i < desc.elements; ++i)
      result.push_back(one(rank - own + i / share, own * share + i % share));
  } else {
    for (uint64_t i = 0; i < desc.elements; ++i)
      result.push_back(sum(i));
  }
  return result;
}

void runAndCheck(int ranks, int runs) {
  zrt_plan plan = ranksPlan(
      ranks, tableOfJob(),
      job.exported ? job.exported : uint64_t(job.collectives.size()) << 20);
  plan.context = job.context;
  // The inputs that the host writes.
  std::vector<zrt_input> inputs = {
      {"head", ZRT_F32, 0, nullptr, deviceRef(0, 64 << 10), 0, 0, 0, 0}};
  for (const zrt_collective_desc &desc : job.collectives)
    if (desc.accumulate)
      inputs.push_back({desc.name, desc.result.dtype, 0, nullptr,
                        desc.result.ref, 0, 0, 0, 0});
  plan.inputs = inputs.data();
  plan.input_count = static_cast<uint32_t>(inputs.size());
  runRanks(ranks, [&](World &world) {
    const ContextPtr ctx = create(plan, world);
    ASSERT_TRUE(ctx);
    const auto rank = uint64_t(world.rank());
    for (size_t i = 0; i < job.collectives.size(); ++i)
      *at<uint64_t>(ctx, numberRef(i)) = i;
    for (uint64_t run = 0; run < uint64_t(runs); ++run) {
      at<uint64_t>(ctx, kRankAndRun)[0] = rank;
      at<uint64_t>(ctx, kRankAndRun)[1] = run;
      for (const zrt_collective_desc &desc : job.collectives)
        if (desc.accumulate)
          writeOld(desc.result, at<std::byte>(ctx, desc.result.ref));
      ASSERT_EQ(zrt_run(ctx.get(), ZRT_STEP), 0)
          << zrt_error_message(ctx.get());
      for (size_t i = 0; i < job.collectives.size(); ++i) {
        const zrt_collective_desc &desc = job.collectives[i];
        const auto values = expected(desc, i, rank, uint64_t(ranks), run);
        const uint64_t size = dtypeBytes(desc.result.dtype);
        std::vector<std::byte> want(values.size() * size);
        narrow(values.data(), values.size(), desc.result.dtype, want.data());
        const auto *have = at<std::byte>(ctx, desc.result.ref);
        if (desc.result.extent == ZRT_SLICE_OF_WHOLE)
          have += rank * want.size();
        ASSERT_EQ(std::memcmp(have, want.data(), want.size()), 0)
            << desc.name << " on rank " << rank << " of " << ranks << ", run "
            << run;
      }
    }
    EXPECT_EQ(ctx->run->traffic.difference(), "");
  });
}

class CollectivesTest : public testing::TestWithParam<std::tuple<int, int>> {
protected:
  void SetUp() override {
    job = {};
    perHost.emplace("ZRT_RANKS_PER_HOST", std::to_string(hostSize()));
    // If a rank fails its check and leaves, the others give up soon.
    timeOut.emplace("ZRT_TIMEOUT", "10");
  }
  void TearDown() override {
    perHost.reset();
    timeOut.reset();
  }
  uint64_t ranks() const { return uint64_t(std::get<0>(GetParam())); }
  int hostSize() const { return std::get<1>(GetParam()); }

  std::optional<Environment> perHost, timeOut;
};

// Numbers of ranks, and of ranks per host: all, two, or one.
INSTANTIATE_TEST_SUITE_P(Ranks, CollectivesTest,
                         testing::Combine(testing::Range(1, 6),
                                          testing::Values(5, 2, 1)));

TEST_P(CollectivesTest, GatherSlices) {
  const uint64_t n = ranks();
  for (const uint64_t slice : {1, 17, 4099, 20000})
    addGather(n, slice);
  runAndCheck(int(n), 3);
}

TEST_P(CollectivesTest, GatherFromTheWhole) {
  const uint64_t n = ranks();
  add(ZRT_GATHER, ZRT_ALL_GATHER, n * 999, n * 999, n * 999, false,
      (n - 1) * 999 * 4);
  add(ZRT_GATHER, ZRT_ALL_GATHER, n * 20001, n * 20001, n * 20001, false,
      (n - 1) * 20001 * 4);
  job.collectives[1].result.ref = job.collectives[1].source.ref;
  runAndCheck(int(n), 3);
}

TEST_P(CollectivesTest, ReduceScatter) {
  const uint64_t n = ranks();
  for (const uint64_t slice : {1, 33, 2047, 2049, 20000})
    for (const bool accumulate : {false, true})
      addReduce(n, slice, accumulate);
  add(ZRT_REDUCE, ZRT_REDUCE_SCATTER, n * 9999, n * 9999, n * 9999, false,
      (n - 1) * 9999 * 4);
  runAndCheck(int(n), 3);
}

TEST_P(CollectivesTest, AllToAllIsBetweenRanksOfOneSequence) {
  const uint64_t n = ranks();
  for (uint32_t context = 1; context <= n; ++context) {
    if (n % context != 0)
      continue;
    job = {};
    job.context = context;
    for (const uint64_t share : {1, 17, 4099, 20000})
      addExchange(share);
    addExchange(4099, ZRT_BF16);
    addReduce(n, 2047, false); // between them, on another stream
    runAndCheck(int(n), 3);
  }
}

TEST_P(CollectivesTest, ReduceScatterInPlaceLeavesTheRestAlone) {
  const uint64_t n = ranks(), slice = 12345;
  add(ZRT_REDUCE, ZRT_REDUCE_SCATTER, n * slice, n * slice, n * slice, false,
      (n - 1) * slice * 4);
  job.collectives[0].result.ref = job.collectives[0].source.ref;
  runAndCheck(int(n), 3);
}

TEST_P(CollectivesTest, Of16BitsMoveTheirBytesAndAddInF32) {
  const uint64_t n = ranks();
  for (const zrt_dtype type : {ZRT_BF16, ZRT_F16}) {
    add(ZRT_GATHER, ZRT_ALL_GATHER, n * 4099, 4099, n * 4099, false,
        (n - 1) * 4099 * 2, type, type);
    add(ZRT_GATHER, ZRT_ALL_GATHER, n * 999, n * 999, n * 999, false,
        (n - 1) * 999 * 2, type, type);
    for (const uint64_t slice : {1, 2049}) {
      const auto reduce = [&](uint64_t result, bool accumulate, zrt_dtype to) {
        add(ZRT_REDUCE, ZRT_REDUCE_SCATTER, n * slice, n * slice, result,
            accumulate, (n - 1) * slice * 2, type, to);
      };
      reduce(slice, false, type);
      reduce(n * slice, false, type);
      reduce(slice, true, type);
      reduce(slice, false, ZRT_F32);
      reduce(slice, true, ZRT_F32);
      reduce(n * slice, false, ZRT_F32);
    }
    // In place.
    add(ZRT_REDUCE, ZRT_REDUCE_SCATTER, n * 12345, n * 12345, n * 12345, false,
        (n - 1) * 12345 * 2, type, type);
    job.collectives.back().result.ref = job.collectives.back().source.ref;
  }
  runAndCheck(int(n), 2);
  const Chaos chaos(7);
  runAndCheck(int(n), 2);
}

TEST_P(CollectivesTest, AllReduceManyTimes) {
  const uint64_t n = ranks();
  for (const uint64_t count : {1, 2, 16})
    add(ZRT_COMPUTE, ZRT_ALL_REDUCE, count, count, count, false,
        (n - 1) * count * 4);
  job.collectives[1].result = job.collectives[1].source;
  runAndCheck(int(n), 200);
}

TEST_P(CollectivesTest, OnThreeStreamsUnderChaos) {
  const uint64_t n = ranks();
  for (const int seed : {1, 2, 3}) {
    job = {};
    const Chaos chaos(seed);
    for (int i = 0; i < 2; ++i) {
      addGather(n, 3001);
      addReduce(n, 2500, true);
      add(ZRT_COMPUTE, ZRT_ALL_REDUCE, 3, 3, 3, false, (n - 1) * 12);
      add(ZRT_REDUCE, ZRT_ALL_REDUCE, 1, 1, 1, false, (n - 1) * 4);
    }
    runAndCheck(int(n), 5);
  }
}

TEST_P(CollectivesTest, LongerThanAChunkBetweenHosts) {
  const uint64_t n = ranks(), slice = (300 << 10) / 4 + 1;
  if (n != 2)
    return;
  addGather(n, slice);
  addReduce(n, 60000, true);
  job.collectives[0].source.ref = exportedRef(3 << 20, slice * 4);
  job.collectives[0].result.ref = exportedRef(4 << 20, n * slice * 4);
  job.collectives[1].source.ref = exportedRef(5 << 20, n * 150000 * 4);
  job.collectives[1].result.ref = exportedRef(7 << 20, 150000 * 4);
  job.collectives[1].elements = n * 150000;
  job.collectives[1].wire_bytes = (n - 1) * 150000 * 4;
  job.exported = 10 << 20;
  const Chaos chaos(5);
  runAndCheck(int(n), 3);
}

TEST_P(CollectivesTest, Of16BitsLongerThanAChunkBetweenHosts) {
  const uint64_t n = ranks(), slice = (300 << 10) / 2 + 1;
  if (n != 2)
    return;
  add(ZRT_REDUCE, ZRT_REDUCE_SCATTER, n * slice, n * slice, slice, true,
      (n - 1) * slice * 2, ZRT_BF16, ZRT_F32);
  job.collectives[0].source.ref = exportedRef(1 << 20, n * slice * 2);
  job.collectives[0].result.ref = exportedRef(4 << 20, slice * 4);
  job.exported = 10 << 20;
  runAndCheck(int(n), 2);
}

//===----------------------------------------------------------------------===//
// Other things
//===----------------------------------------------------------------------===//

TEST(AllReduce, OfF64AddsInRankOrder) {
  const zrt_ref source = deviceRef(0, 16), result = deviceRef(64, 16);
  const zrt_collective_desc desc =
      collectiveWith("all_reduce of norm", ZRT_ALL_REDUCE, 2, 32,
                     tensor(source, ZRT_F64), tensor(result, ZRT_F64), 0.5);
  const zrt_plan plan = ranksPlan(3, Table().collective(ZRT_COMPUTE, desc));
  const double terms[3] = {1e16, 1.0, -1e16};
  runRanks(3, [&](World &world) {
    const ContextPtr ctx = create(plan, world);
    ASSERT_TRUE(ctx);
    at<double>(ctx, source)[0] = terms[world.rank()];
    at<double>(ctx, source)[1] = 2.0 * world.rank();
    ASSERT_EQ(zrt_run(ctx.get(), ZRT_STEP), 0);
    EXPECT_EQ(at<double>(ctx, result)[0], (1e16 + 1.0 - 1e16) * 0.5);
    EXPECT_EQ(at<double>(ctx, result)[1], 3.0);
    const auto rows = ctx->run->traffic.rows(std::nullopt);
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].bytes, 32u);
    EXPECT_EQ(rows[0].calls, 1u);
    EXPECT_EQ(ctx->run->traffic.difference(), "");
    EXPECT_HAS(ctx->run->traffic.table(), "all_reduce ");
  });
}

TEST(TrafficLedger, SaysWhereThePlanWasWrong) {
  zrt_collective_desc desc = {};
  desc.name = "all_gather of b2";
  desc.wire_bytes = 100;
  const zrt_plan plan = testPlan(Table().collective(ZRT_GATHER, desc));
  TrafficLedger ledger(plan);
  TrafficRow &row = ledger.row(ZRT_STEP, 0);
  row.calls = 3;
  row.bytes = 300;
  EXPECT_EQ(ledger.difference(), "");
  row.bytes = 301;
  EXPECT_EQ(ledger.difference(), "all_gather of b2 received 301 bytes in 3 "
                                 "calls, but the plan says 100 bytes a call");
  ledger.start();
  EXPECT_EQ(ledger.difference(), "");
  EXPECT_EQ(ledger.table(), "");
}

TEST(SmallSum, IsAddedToWhatIsThere) {
  const double first[] = {1, 2}, second[] = {10, 20};
  const std::byte *const sources[] = {
      reinterpret_cast<const std::byte *>(first),
      reinterpret_cast<const std::byte *>(second)};
  double result[] = {100, 200};
  zrt_collective_desc desc = {};
  desc.elements = 2;
  desc.scale = 0.5;
  desc.accumulate = 1;
  desc.source.dtype = ZRT_F64;
  smallSum(sources, desc, reinterpret_cast<std::byte *>(result));
  EXPECT_EQ(result[0], 105.5);
  EXPECT_EQ(result[1], 211);
}

TEST(Plans, ThatDifferAreRefused) {
  runRanks(2, [](World &world) {
    zrt_plan plan = ranksPlan(2, Table());
    plan.stage = uint32_t(world.rank());
    zrt_world handle = {world};
    const ContextPtr ctx = zrt::create(plan, 1, &handle);
    EXPECT_STREQ(zrt_error_message(ctx.get()),
                 "rank 1 runs another plan than rank 0; start the same binary "
                 "everywhere");
  });
}

} // namespace
