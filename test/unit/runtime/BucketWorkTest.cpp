//===- BucketWorkTest.cpp - Segments, updates, norms ----------------------===//
#include "runtime/core/Segments.h"
#include "runtime/device/cpu/SumSquares.h"

#include "Collectives.h"
#include "TestFiles.h"

#include <cmath>
#include <cstring>

using namespace zrt;
using namespace zrt::test;

namespace {

zrt_member memberAt(uint64_t offset, uint64_t count, bool decays) {
  zrt_member m = {};
  m.offset = offset;
  m.count = count;
  m.decays = decays;
  return m;
}

std::string text(const std::vector<Segment> &segments) {
  std::string result;
  for (const Segment &s : segments)
    result += fmt::format("{}{}-{}", s.decays ? "+" : " ", s.begin, s.end);
  return result;
}

//   0      10     16         40    48   64
//   | a+   |.......| b+      | c    |...|
const zrt_member workMembers[] = {memberAt(0, 10, true), memberAt(16, 24, true),
                                  memberAt(40, 8, false)};
const zrt_bucket workBucket = {"b0", 64, 3, 0, workMembers, ZRT_UNPACKED, 0};

TEST(Segments, AreMembersCutBySlices) {
  EXPECT_EQ(text(memberSegments(workBucket, 0, 1)), "+0-10+16-40 40-48");
  EXPECT_EQ(text(memberSegments(workBucket, 0, 2)), "+0-10+16-32");
  EXPECT_EQ(text(memberSegments(workBucket, 1, 2)), "+0-8 8-16");
  EXPECT_EQ(text(memberSegments(workBucket, 0, 4)), "+0-10");
  EXPECT_EQ(text(memberSegments(workBucket, 1, 4)), "+0-16");
  EXPECT_EQ(text(memberSegments(workBucket, 2, 4)), "+0-8 8-16");
  EXPECT_EQ(text(memberSegments(workBucket, 3, 4)), ""); // padding only
}

TEST(Segments, TogetherAreTheMembers) {
  for (const uint32_t ranks : {1, 2, 4, 8, 16, 32, 64}) {
    std::vector<int> seen(workBucket.elements, 0);
    for (uint32_t rank = 0; rank < ranks; ++rank)
      for (const Segment &s : memberSegments(workBucket, rank, ranks))
        for (uint64_t i = s.begin; i < s.end; ++i)
          seen[rank * (workBucket.elements / ranks) + i] += s.decays ? 1 : 2;
    for (uint64_t i = 0; i < workBucket.elements; ++i)
      EXPECT_EQ(seen[i], i < 10              ? 1
                         : i >= 16 && i < 40 ? 1
                         : i >= 40 && i < 48 ? 2
                                             : 0)
          << i << " of " << ranks;
  }
}

TEST(Segments, MergeOnlyWhatTouchesAndDecaysAlike) {
  EXPECT_EQ(text(mergeSegments({{0, 4, true},
                                {4, 8, true},
                                {8, 9, false},
                                {10, 12, false},
                                {12, 13, false}})),
            "+0-8 8-9 10-13");
}

TEST(Segments, AreCutFromTheirBegin) {
  EXPECT_EQ(text(cutSegments({{3, 11, true}, {11, 12, false}}, 4)),
            "+3-7+7-11 11-12");
}

//===----------------------------------------------------------------------===//
// Sums of squares
//===----------------------------------------------------------------------===//

double plainSumSquares(const float *values, size_t count) {
  double lanes[16] = {};
  for (size_t i = 0; i < count; ++i)
    lanes[i % 16] += double(values[i]) * double(values[i]);
  for (int stride : {8, 4, 2, 1})
    for (int lane = 0; lane < stride; ++lane)
      lanes[lane] += lanes[lane + stride];
  return lanes[0];
}

std::vector<float> someValues(size_t count) {
  std::vector<float> values(count);
  uint64_t x = 1;
  for (float &value : values) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    value =
        std::ldexp(float(int64_t(x >> 40) - (1 << 23)), int(x >> 33 & 31) - 16);
  }
  return values;
}

TEST(SumSquares, HaveTheBitsOfThePlainLoop) {
  const std::vector<float> values = someValues(ZRT_SQUARES_BLOCK);
  for (const size_t count : {0, 1, 15, 16, 17, 31, 33, 1000, 16383, 16384})
    EXPECT_EQ(sumSquares(values.data(), count),
              plainSumSquares(values.data(), count))
        << count;
}

const zrt_member bigMembers[] = {memberAt(0, 20000, true),
                                 memberAt(20000, 30000, false),
                                 memberAt(50016, 5, false)};
const zrt_bucket bigBucket = {"b0", 50048, 3, 0, bigMembers, ZRT_UNPACKED, 0};
const zrt_ref gradWhole = deviceRef(0, bigBucket.elements * 4);
const zrt_ref partials = deviceRef(512 << 10, 8 * 8);

TEST(SumSquares, OfASliceAreBlockByBlock) {
  // Rank 0 has 20000 elements of the first member and 5024 of the second; rank
  // 1 has 24976 of the second, and the last five.
  const std::vector<std::vector<std::pair<size_t, size_t>>> blocks = {
      {{0, 16384}, {16384, 20000}, {20000, 25024}},
      {{25024, 41408}, {41408, 50000}, {50016, 50021}}};
  std::vector<float> grad = someValues(bigBucket.elements);
  for (size_t i : {50000, 50015, 50021, 50047})
    grad[i] = NAN; // padding
  for (const bool isSlice : {false, true}) {
    const zrt_ref held =
        isSlice ? deviceRef(0, gradWhole.bytes / 2) : gradWhole;
    zrt_plan plan =
        ranksPlan(2,
                  Table().squares(ZRT_COMPUTE,
                                  {"norm of b0", 0, 0,
                                   isSlice ? slice(held) : sliceOfWhole(held),
                                   tensor(partials, ZRT_F64)}),
                  1 << 20);
    plan.buckets = &bigBucket;
    plan.bucket_count = 1;
    runRanks(2, [&](World &world) {
      const ContextPtr ctx = create(plan, world);
      const auto rank = size_t(world.rank());
      const size_t begin = isSlice ? rank * bigBucket.elements / 2 : 0;
      std::memcpy(at<float>(ctx, held), grad.data() + begin, held.bytes);
      std::fill_n(at<double>(ctx, partials), 8, -1.0);
      ASSERT_EQ(zrt_run(ctx.get(), ZRT_STEP), 0)
          << zrt_error_message(ctx.get());
      for (size_t i = 0; i < 8; ++i) {
        double want = 0;
        if (i < blocks[rank].size()) {
          const auto [from, to] = blocks[rank][i];
          want = plainSumSquares(grad.data() + from, to - from);
        }
        EXPECT_EQ(at<double>(ctx, partials)[i], want)
            << "block " << i << " of rank " << rank;
      }
    });
  }
}

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

// Computes the next parameter from parameter, gradient, moment, rate.
template <int Decay>
void step(void *const *args, int64_t begin, int64_t end) {
  const auto *p = static_cast<const float *>(args[0]);
  const auto *g = static_cast<const float *>(args[1]);
  auto *m = static_cast<float *>(args[2]);
  const float lr = *static_cast<const float *>(args[3]);
  auto *next = static_cast<float *>(args[4]);
  EXPECT_TRUE(begin % 16 == 0 || begin == 4984 || begin == 24992)
      << "a piece begins at " << begin;
  for (int64_t i = begin; i < end; ++i) {
    m[i] += g[i];
    next[i] = p[i] - lr * (m[i] + Decay * p[i]);
  }
}

TEST(Update, OfSlicesEqualsThatOfTheWhole) {
  const uint64_t n = bigBucket.elements;
  // What ranks hold of gradient and moment; they have all parameters.
  const auto run = [&](uint32_t ranks, uint32_t extent, int threads,
                       uint32_t members = 0) {
    const bool sliced = extent != ZRT_WHOLE;
    const uint64_t held = extent == ZRT_SLICE           ? n / ranks
                          : extent == ZRT_SLICE_OF_PART ? n / members
                                                        : n;
    const uint64_t room = 256 << 10;
    const zrt_ref args[] = {
        deviceRef(4096, n * 4), // whole, like the last one
        deviceRef(4096 + room, held * 4), deviceRef(4096 + 2 * room, held * 4),
        deviceRef(0, 4), deviceRef(4096, n * 4)}; // in place
    const auto ofAll = [&](const zrt_ref &ref) {
      return sliced ? sliceOfWhole(ref) : whole(ref);
    };
    const zrt_operand operands[] = {ofAll(args[0]),
                                    {args[1], ZRT_F32, extent},
                                    {args[2], ZRT_F32, extent},
                                    scalar(args[3]),
                                    ofAll(args[4])};
    zrt_plan plan =
        ranksPlan(int(ranks),
                  Table().update(ZRT_COMPUTE, {"adamw of b0", 0, 5, step<0>,
                                               step<1>, operands, 0, 0, 0, 0}),
                  2 << 20);
    plan.group_size = members;
    plan.buckets = &bigBucket;
    plan.bucket_count = 1;
    std::vector<float> result(2 * n);
    const std::vector<float> values = someValues(3 * n);
    runRanks(int(ranks), [&](World &world) {
      zrt_world handle = {world};
      const ContextPtr ctx = zrt::create(plan, threads, &handle);
      ASSERT_TRUE(isGood(ctx));
      const auto rank = uint32_t(world.rank());
      const uint64_t number =
          members ? rank % members * (ranks / members) + rank / members : rank;
      const uint64_t first = number * (n / ranks);
      const uint64_t from = extent == ZRT_SLICE ? first
                            : extent == ZRT_SLICE_OF_PART
                                ? rank % members * held
                                : 0;
      std::memcpy(at<float>(ctx, args[0]), &values[0], n * 4);
      std::memcpy(at<float>(ctx, args[1]), &values[n + from], held * 4);
      std::memcpy(at<float>(ctx, args[2]), &values[2 * n + from], held * 4);
      *at<float>(ctx, args[3]) = 0.125f;
      ASSERT_EQ(zrt_run(ctx.get(), ZRT_STEP), 0)
          << zrt_error_message(ctx.get());
      // Every rank contributes its slice.
      const uint64_t count = n / ranks;
      std::memcpy(&result[first], at<float>(ctx, args[4]) + first, count * 4);
      std::memcpy(&result[n + first], at<float>(ctx, args[2]) + first - from,
                  count * 4);
      // And does not change the others.
      for (uint64_t i = 0; sliced && i < n; ++i)
        if (i < first || i >= first + count)
          ASSERT_EQ(std::memcmp(at<float>(ctx, args[0]) + i, &values[i], 4), 0);
    });
    return result;
  };
  const std::vector<float> want = run(1, ZRT_WHOLE, 1);
  // Padding is unchanged, members change.
  const std::vector<float> values = someValues(3 * n);
  for (const uint64_t i : {50000, 50015, 50021, 50047})
    EXPECT_EQ(want[i], values[i]);
  for (const uint64_t i : {0, 19999, 20000, 49999, 50016, 50020})
    EXPECT_EQ(want[n + i], values[2 * n + i] + values[n + i]);
  EXPECT_EQ(want[19999],
            values[19999] - 0.125f * (want[n + 19999] + values[19999]));
  EXPECT_EQ(want[20000], values[20000] - 0.125f * want[n + 20000]);
  for (const int threads : {1, 2, 5})
    for (const uint32_t ranks : {1, 2, 4})
      for (const uint32_t members : {0, 2})
        for (const uint32_t extent :
             {ZRT_SLICE_OF_WHOLE, ZRT_SLICE, ZRT_SLICE_OF_PART}) {
          if (members == 0 ? extent == ZRT_SLICE_OF_PART : ranks != 4)
            continue;
          const auto have = run(ranks, extent, threads, members);
          EXPECT_EQ(std::memcmp(have.data(), want.data(), want.size() * 4), 0)
              << ranks << " ranks, groups of " << members << ", " << threads
              << " threads";
        }
}

//===----------------------------------------------------------------------===//
// Updates that round by chance
//===----------------------------------------------------------------------===//

zrt_member piece(const char *name, uint64_t first, uint64_t offset,
                 uint64_t count) {
  zrt_member m = memberAt(offset, count, count % 2 == 0);
  m.name = name;
  m.first = first;
  return m;
}

// Stores for each element its position and its parameter, computed from the
// bits.
void tellPlaces(void *const *args, int64_t begin, int64_t end) {
  const auto *bits = static_cast<const uint32_t *>(args[1]);
  auto *next = static_cast<uint64_t *>(args[2]);
  for (int64_t i = begin; i < end; ++i)
    next[i] = (uint64_t{bits[0]} << 32 | bits[1]) +
              (uint32_t(i) + bits[2]) * uint64_t{0x9e3779b97f4a7c15};
}

/// Returns, by element of the bucket, what the kernel gets on `ranks` ranks.
std::vector<uint64_t> toldPlaces(const zrt_bucket &workBucket, uint32_t ranks,
                                 bool sliced, int threads, uint64_t step) {
  const uint64_t n = workBucket.elements;
  const zrt_ref bits = deviceRef(0, 8), all = deviceRef(4096, n * 8);
  const auto part = [&](const zrt_ref &ref) {
    return sliced ? sliceOfWhole(ref, ZRT_I64) : whole(ref, ZRT_I64);
  };
  const zrt_operand operands[] = {part(all), scalar(bits, ZRT_I64), part(all)};
  zrt_plan plan =
      ranksPlan(int(ranks),
                Table().update(ZRT_COMPUTE, {"sgd of b0", 0, 3, tellPlaces,
                                             tellPlaces, operands, 1, 0, 0, 0}),
                1 << 20);
  plan.buckets = &workBucket;
  plan.bucket_count = 1;
  std::vector<uint64_t> told(n);
  runRanks(int(ranks), [&](World &world) {
    zrt_world handle = {world};
    const ContextPtr ctx = zrt::create(plan, threads, &handle);
    ASSERT_TRUE(isGood(ctx));
    std::fill_n(at<uint64_t>(ctx, all), n, 0);
    *at<uint64_t>(ctx, bits) = step;
    ASSERT_EQ(zrt_run(ctx.get(), ZRT_STEP), 0) << zrt_error_message(ctx.get());
    EXPECT_EQ(*at<uint64_t>(ctx, bits), step);
    const uint64_t count = sliced ? n / ranks : n, first = world.rank() * count;
    if (sliced || world.rank() == 0)
      std::copy_n(at<uint64_t>(ctx, all) + (sliced ? first : 0), count,
                  told.begin() + long(sliced ? first : 0));
  });
  return told;
}

TEST(Update, RoundsByNameAndPlaceInTheParameter) {
  // b as a whole; and its first rows in one bucket, the rest in the next.
  const zrt_member together[] = {piece("a", 0, 0, 3000),
                                 piece("b", 0, 3008, 5000)};
  const zrt_member rows[] = {piece("b", 0, 0, 1999)},
                   rest[] = {piece("c", 0, 0, 16), piece("b", 1999, 16, 3001)};
  const zrt_bucket both = {"b0", 8064, 2, 0, together, ZRT_UNPACKED, 0},
                   upper = {"b0", 2048, 1, 0, rows, ZRT_UNPACKED, 0},
                   lower = {"b0", 3072, 2, 0, rest, ZRT_UNPACKED, 0};
  const auto want = toldPlaces(both, 1, false, 1, 7);
  for (const uint32_t ranks : {1, 2, 4})
    for (const int threads : {1, 2, 5})
      EXPECT_EQ(toldPlaces(both, ranks, true, threads, 7), want) << ranks;
  const auto b = [&](size_t i) { return want[3008 + i]; };
  for (const uint32_t ranks : {1, 2, 4}) {
    const auto first = toldPlaces(upper, ranks, true, 2, 7),
               second = toldPlaces(lower, ranks, true, 2, 7);
    for (size_t i = 0; i < 5000; ++i)
      ASSERT_EQ(i < 1999 ? first[i] : second[16 + i - 1999], b(i)) << i;
  }
  // Padding gets none; other names and steps get different bits.
  EXPECT_EQ(want[3000], 0u);
  EXPECT_NE(want[0], b(0));
  EXPECT_NE(toldPlaces(both, 1, false, 1, 8)[0], want[0]);
}

//===----------------------------------------------------------------------===//
// Profile
//===----------------------------------------------------------------------===//

TEST(Profile, GroupsWorkOnBuckets) {
  const zrt_operand grad = sliceOfWhole(gradWhole),
                    sums = tensor(partials, ZRT_F64);
  zrt_plan plan =
      testPlan(Table()
                   .squares(ZRT_COMPUTE, {"norm of b0", 0, 0, grad, sums})
                   .squares(ZRT_COMPUTE, {"norm of b1", 0, 0, grad, sums}),
               1 << 20);
  plan.buckets = &bigBucket;
  plan.bucket_count = 1;
  const ContextPtr ctx = create(plan);
  ctx->run->profile.start();
  ASSERT_EQ(zrt_run(ctx.get(), ZRT_STEP), 0);
  const auto rows = ctx->run->profile.rows();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].group, "norm");
  EXPECT_EQ(rows[0].calls, 2u);
  EXPECT_EQ(rows[0].bytes, 2.0 * double(gradWhole.bytes + partials.bytes));
}

} // namespace
