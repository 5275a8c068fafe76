//===- GroupsTest.cpp - Collectives over members and groups ---------------===//
//
// Each rank is a thread of this process, as in CollectivesTest.cpp.  The host
// writes all sources before a run; after a collective a kernel overwrites its
// source at once.  What a rank must have then is computed from the words of
// abi/zrt.h, and all bytes of a result's ref are compared, also those that the
// exchange must leave alone.
//
//===----------------------------------------------------------------------===//
#include "runtime/numbers/HalfArrays.h"
#include "runtime/numbers/HalfFloats.h"
#include "runtime/numbers/NumberBlocks.h"

#include "Collectives.h"
#include "TestFiles.h"

#include <cmath>
#include <optional>
#include <ostream>

using namespace zrt;
using namespace zrt::test;

namespace groups { // other tests have the same names
namespace {

/// Ranks in groups, and on imitated hosts.
struct Shape {
  uint64_t ranks, members, perHost;
  uint64_t groups() const { return ranks / members; }
};
std::ostream &operator<<(std::ostream &to, const Shape &shape) {
  return to << shape.groups() << " groups of " << shape.members << ", "
            << shape.perHost << " on a host";
}

//===----------------------------------------------------------------------===//
// What abi/zrt.h says
//===----------------------------------------------------------------------===//

uint64_t elementsHeld(const Shape &shape, uint32_t extent, uint64_t elements) {
  if (extent == ZRT_SLICE)
    return elements / shape.ranks;
  const bool isPart = extent == ZRT_PART || extent == ZRT_SLICE_OF_PART;
  return isPart ? elements / shape.members : elements;
}

/// The first element of a ref of `extent` that a collective of `rank` works on.
uint64_t firstOf(const Shape &shape, uint32_t extent, uint64_t elements,
                 uint64_t rank) {
  const uint64_t member = rank % shape.members, group = rank / shape.members,
                 slice = elements / shape.ranks,
                 part = elements / shape.members;
  switch (extent) {
  case ZRT_PART_OF_WHOLE:
    return member * part;
  case ZRT_SLICE_OF_PART:
    return group * slice;
  case ZRT_SLICE_OF_WHOLE:
    return member * part + group * slice;
  default:
    return 0;
  }
}

std::vector<uint64_t> ranksOf(const Shape &shape, uint32_t over,
                              uint64_t rank) {
  std::vector<uint64_t> all;
  for (uint64_t other = 0; other < shape.ranks; ++other)
    if (over == ZRT_OVER_ALL ||
        (over == ZRT_OVER_MEMBERS
             ? other / shape.members == rank / shape.members
             : other % shape.members == rank % shape.members))
      all.push_back(other);
  return all;
}

//===----------------------------------------------------------------------===//
// A program
//===----------------------------------------------------------------------===//

struct GroupJob {
  Shape shape;
  std::vector<zrt_collective_desc> collectives;
  std::vector<zrt_stream> streams;
  uint64_t bytes = 0; ///< that peers read

  zrt_operand operand(uint32_t extent, uint64_t elements, zrt_dtype dtype) {
    const uint64_t size = elementsHeld(shape, extent, elements) /
                          numbersIn(dtype) * dtypeBytes(dtype);
    const zrt_ref ref = exportedRef(bytes, size);
    bytes += (size + 63) / 64 * 64;
    return {ref, dtype, extent};
  }
  void add(zrt_stream stream, uint32_t kind, uint32_t over, uint64_t elements,
           uint32_t from, uint32_t to, zrt_dtype source, zrt_dtype result,
           bool inPlace, bool accumulate) {
    zrt_collective_desc desc = {};
    desc.name = "exchange";
    desc.kind = kind;
    desc.over = over;
    desc.elements = elements;
    desc.scale = kind == ZRT_ALL_GATHER ? 1.0 : 1.0 / 3;
    desc.accumulate = accumulate;
    desc.source = operand(from, elements, source);
    desc.result = inPlace ? zrt_operand{desc.source.ref, result, to}
                          : operand(to, elements, result);
    const uint64_t received =
        kind == ZRT_ALL_REDUCE ? (shape.ranks - 1) * elements
        : over == ZRT_OVER_MEMBERS
            ? (shape.members - 1) * (elements / shape.members)
        : over == ZRT_OVER_GROUPS
            ? (shape.groups() - 1) * (elements / shape.ranks)
            : (shape.ranks - 1) * (elements / shape.ranks);
    desc.wire_bytes = received / numbersIn(source) * dtypeBytes(source);
    collectives.push_back(desc);
    streams.push_back(stream);
  }
};

/// Overwrites a source.
void overwrite(void *const *args, int64_t begin, int64_t end) {
  std::memset(static_cast<std::byte *>(args[0]) + begin, 0xff,
              size_t(end - begin));
}

Table tableOf(const GroupJob &job) {
  Table table;
  for (size_t i = 0; i < job.collectives.size(); ++i) {
    const zrt_collective_desc &desc = job.collectives[i];
    const zrt_ref &source = desc.source.ref;
    table.collective(job.streams[i], desc);
    if (source.offset != desc.result.ref.offset)
      table.launch(job.streams[i], "overwrite", overwrite,
                   int64_t(source.bytes), int64_t(source.bytes),
                   {tensor(source, ZRT_I8)});
  }
  return table;
}

/// Element i of a rank's ref before a run; `which` numbers the refs.  The order
/// of a sum matters.  Blocks have such numbers exactly, since a scale is a power
/// of two.
float elementBefore(zrt_dtype dtype, uint64_t rank, uint64_t run,
                    uint64_t which, uint64_t i) {
  uint64_t x = i * 0x9e3779b97f4a7c15u + rank * 0xc2b2ae3d27d4eb4fu +
               run * 0x165667b19e3779f9u + which * 77;
  x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u;
  x ^= x >> 32;
  if (isBlock(dtype)) {
    const int top = dtype == ZRT_BLOCK8 ? 127 : 7;
    const int code = i % kNumbers ? int(x % (2 * top + 1)) - top : top;
    return std::ldexp(float(code), int((i / kNumbers + 5 * rank) % 22) - 19);
  }
  const float value =
      std::ldexp(float(int64_t(x % 4001) - 2000), int(x >> 16 & 7) - 8);
  return dtype == ZRT_BF16  ? widenBrain(narrowBrain(value))
         : dtype == ZRT_F16 ? widenHalf(narrowHalf(value))
                            : value;
}

std::vector<float> contentOf(const zrt_operand &operand, uint64_t rank,
                             uint64_t run, uint64_t which) {
  std::vector<float> values(elementsIn(operand));
  for (uint64_t i = 0; i < values.size(); ++i)
    values[i] = elementBefore(operand.dtype, rank, run, which, i);
  return values;
}

/// The content of the result's ref after the collective; `which` is the number of
/// the source, and that of another result is which + 1.
std::vector<float> expectedAfter(const Shape &shape,
                                 const zrt_collective_desc &desc, uint64_t rank,
                                 uint64_t run, uint64_t which) {
  const bool inPlace = desc.source.ref.offset == desc.result.ref.offset;
  std::vector<float> result =
      contentOf(desc.result, rank, run, inPlace ? which : which + 1);
  const std::vector<uint64_t> ranks = ranksOf(shape, desc.over, rank);
  const uint64_t own = uint64_t(std::ranges::find(ranks, rank) - ranks.begin());
  const auto given = [&](uint64_t peer, uint64_t i) {
    return elementBefore(
        desc.source.dtype, peer, run, which,
        firstOf(shape, desc.source.extent, desc.elements, peer) + i);
  };
  float *to = &result[firstOf(shape, desc.result.extent, desc.elements, rank)];
  const uint64_t share = desc.over == ZRT_OVER_MEMBERS
                             ? desc.elements / shape.members
                             : desc.elements / shape.ranks;
  if (desc.kind == ZRT_ALL_GATHER) {
    for (const uint64_t peer : ranks)
      for (uint64_t i = 0; i < share; ++i)
        *to++ = given(peer, i);
    return result;
  }
  const bool isSmall = desc.kind == ZRT_ALL_REDUCE;
  for (uint64_t i = 0; i < (isSmall ? desc.elements : share); ++i) {
    const uint64_t at = isSmall ? i : own * share + i;
    float sum = given(ranks[0], at);
    for (size_t place = 1; place < ranks.size(); ++place)
      sum = sum + given(ranks[place], at);
    const volatile float scaled = sum * float(desc.scale);
    to[i] = desc.accumulate ? scaled + to[i] : scaled;
  }
  return result;
}

void narrowTo(zrt_dtype dtype, const std::vector<float> &values,
              std::byte *to) {
  if (isBlock(dtype))
    quantizeBlocks(values.data(), values.size() / kNumbers, dtype, to);
  else
    narrow(values.data(), values.size(), dtype, to);
}

void writeSource(const ContextPtr &ctx, const zrt_operand &operand,
                 const std::vector<float> &values) {
  narrowTo(operand.dtype, values, at<std::byte>(ctx, operand.ref));
}

void runAndCompare(const GroupJob &job, uint64_t runs) {
  const Environment perHost("ZRT_RANKS_PER_HOST",
                            std::to_string(job.shape.perHost));
  const Environment timeOut("ZRT_TIMEOUT", "20");
  zrt_plan plan =
      ranksPlan(int(job.shape.ranks), tableOf(job), job.bytes + 4096);
  if (job.shape.groups() > 1)
    plan.group_size = uint32_t(job.shape.members);
  // The host may write everything.
  const zrt_input all = {"all", ZRT_F32, 0, nullptr, exportedRef(0, job.bytes),
                         0,     0,       0, 0};
  plan.inputs = &all;
  plan.input_count = 1;
  runRanks(int(job.shape.ranks), [&](World &world) {
    const ContextPtr ctx = create(plan, world);
    ASSERT_TRUE(isGood(ctx));
    const auto rank = uint64_t(world.rank());
    for (uint64_t run = 0; run < runs; ++run) {
      for (size_t i = 0; i < job.collectives.size(); ++i) {
        const zrt_collective_desc &desc = job.collectives[i];
        writeSource(ctx, desc.result,
                    contentOf(desc.result, rank, run, 2 * i + 1));
        writeSource(ctx, desc.source, contentOf(desc.source, rank, run, 2 * i));
      }
      ASSERT_EQ(zrt_run(ctx.get(), ZRT_STEP), 0)
          << zrt_error_message(ctx.get());
      for (size_t i = 0; i < job.collectives.size(); ++i) {
        const zrt_collective_desc &desc = job.collectives[i];
        const auto values = expectedAfter(job.shape, desc, rank, run, 2 * i);
        std::vector<std::byte> want(desc.result.ref.bytes);
        narrowTo(desc.result.dtype, values, want.data());
        ASSERT_EQ(std::memcmp(at<std::byte>(ctx, desc.result.ref), want.data(),
                              want.size()),
                  0)
            << collectiveName(desc.kind) << " " << i << " over "
            << overName(desc.over) << ", " << desc.elements << " "
            << dtypeName(desc.source.dtype) << " "
            << extentName(desc.source.extent) << " to "
            << extentName(desc.result.extent) << ", rank " << rank << ", run "
            << run;
      }
    }
    EXPECT_EQ(ctx->run->traffic.difference(), "");
  });
}

class GroupsTest : public testing::TestWithParam<Shape> {};

// 2 groups of 2, 2 of 3, 4 of 2, 3 of 2: on one host, on one for each group, on
// one for each rank, and across.
INSTANTIATE_TEST_SUITE_P(Ranks, GroupsTest,
                         testing::Values(Shape{4, 2, 4}, Shape{4, 2, 2},
                                         Shape{4, 2, 1}, Shape{4, 2, 3},
                                         Shape{6, 3, 6}, Shape{6, 3, 3},
                                         Shape{6, 3, 2}, Shape{6, 2, 4},
                                         Shape{8, 2, 8}, Shape{8, 2, 2},
                                         Shape{8, 4, 4}));

/// What a rank has of its own, and what all have together.
struct Extents {
  uint32_t over;
  std::vector<uint32_t> own, whole;
};
const Extents kExtents[] = {
    {ZRT_OVER_MEMBERS, {ZRT_PART, ZRT_PART_OF_WHOLE}, {ZRT_WHOLE}},
    {ZRT_OVER_GROUPS,
     {ZRT_SLICE, ZRT_SLICE_OF_PART, ZRT_SLICE_OF_WHOLE},
     {ZRT_PART, ZRT_PART_OF_WHOLE}}};

zrt_stream streamOf(uint32_t kind, uint32_t over) {
  const bool isGather = kind == ZRT_ALL_GATHER;
  if (over == ZRT_OVER_GROUPS)
    return isGather ? ZRT_GATHER_GROUPS : ZRT_REDUCE_GROUPS;
  return isGather ? ZRT_GATHER : ZRT_REDUCE;
}

/// Adds a collective of each pair of extents, and in place if they allow it.
void addAll(GroupJob &job, uint32_t kind, uint64_t slice, zrt_dtype from,
            zrt_dtype to, bool accumulate) {
  const uint64_t elements = job.shape.ranks * slice;
  for (const Extents &extents : kExtents)
    for (const uint32_t own : extents.own)
      for (const uint32_t whole : extents.whole) {
        const bool isGather = kind == ZRT_ALL_GATHER;
        const uint32_t source = isGather ? own : whole,
                       result = isGather ? whole : own;
        const bool canBeInPlace = from == to && !accumulate &&
                                  elementsHeld(job.shape, own, elements) ==
                                      elementsHeld(job.shape, whole, elements);
        for (const bool inPlace : {false, true})
          if (!inPlace || canBeInPlace)
            job.add(streamOf(kind, extents.over), kind, extents.over, elements,
                    source, result, from, to, inPlace, accumulate);
      }
}

TEST_P(GroupsTest, Gather) {
  for (const zrt_dtype type : {ZRT_F32, ZRT_BF16}) {
    GroupJob job = {GetParam(), {}, {}};
    for (const uint64_t slice : {1, 17, 4099})
      addAll(job, ZRT_ALL_GATHER, slice, type, type, false);
    runAndCompare(job, 2);
    const Chaos chaos(3);
    runAndCompare(job, 1);
  }
}

TEST_P(GroupsTest, ReduceScatter) {
  const std::pair<zrt_dtype, zrt_dtype> types[] = {{ZRT_F32, ZRT_F32},
                                                   {ZRT_BF16, ZRT_BF16},
                                                   {ZRT_F16, ZRT_F16},
                                                   {ZRT_BF16, ZRT_F32},
                                                   {ZRT_F16, ZRT_F32}};
  for (const auto &[from, to] : types) {
    GroupJob job = {GetParam(), {}, {}};
    for (const uint64_t slice : {1, 33, 2049})
      for (const bool accumulate : {false, true})
        addAll(job, ZRT_REDUCE_SCATTER, slice, from, to, accumulate);
    runAndCompare(job, 1);
    const Chaos chaos(4);
    runAndCompare(job, 1);
  }
}

TEST_P(GroupsTest, LongerThanAChunkBetweenHosts) {
  if (GetParam().ranks > 4)
    return;
  GroupJob job = {GetParam(), {}, {}};
  addAll(job, ZRT_ALL_GATHER, 70001, ZRT_F32, ZRT_F32, false);
  addAll(job, ZRT_REDUCE_SCATTER, 70001, ZRT_F32, ZRT_F32, true);
  const Chaos chaos(5);
  runAndCompare(job, 1);
}

/// What ranks exchange in blocks.
void addBlocks(GroupJob &job, uint64_t slice, zrt_dtype type) {
  addAll(job, ZRT_ALL_GATHER, slice, type, type, false);
  for (const bool accumulate : {false, true})
    addAll(job, ZRT_REDUCE_SCATTER, slice, type, accumulate ? ZRT_F32 : ZRT_F16,
           accumulate);
}

TEST_P(GroupsTest, BlocksOfNumbers) {
  for (const zrt_dtype type : {ZRT_BLOCK8, ZRT_BLOCK4}) {
    std::optional<Chaos> chaos;
    if (type == ZRT_BLOCK4)
      chaos.emplace(6);
    GroupJob job = {GetParam(), {}, {}};
    for (const uint64_t blocks : {1, 3})
      addBlocks(job, blocks * kNumbers, type);
    runAndCompare(job, 1);
  }
}

/// A single group, on one host and on several, where shares of blocks may be
/// longer than a chunk.
TEST(Blocks, AreExchangedBetweenAllRanks) {
  const Chaos chaos(8);
  for (const uint64_t perHost : {3, 1})
    for (const zrt_dtype type : {ZRT_BLOCK8, ZRT_BLOCK4}) {
      GroupJob job = {{3, 3, perHost}, {}, {}};
      const auto add = [&](uint32_t kind, uint64_t blocks, zrt_dtype to) {
        const bool isGather = kind == ZRT_ALL_GATHER;
        job.add(isGather ? ZRT_GATHER : ZRT_REDUCE, kind, ZRT_OVER_ALL,
                3 * blocks * kNumbers, isGather ? ZRT_SLICE : ZRT_WHOLE,
                isGather ? ZRT_WHOLE : ZRT_SLICE, type, to, /*inPlace=*/false,
                /*accumulate=*/!isGather);
      };
      const bool isLong = perHost == 1 && type == ZRT_BLOCK8;
      const uint64_t blocks = isLong ? (256 << 10) / dtypeBytes(type) + 1 : 5;
      add(ZRT_ALL_GATHER, blocks, type);
      add(ZRT_REDUCE_SCATTER, blocks, ZRT_BF16);
      runAndCompare(job, 1);
    }
}

/// Ranks of one group know nothing of the progress of others between two
/// all_reduces.  So the memory in which values wait must not be used again
/// until the next but one.
TEST_P(GroupsTest, AllReducesBetweenOtherExchanges) {
  for (const int seed : {1, 2, 3}) {
    GroupJob job = {GetParam(), {}, {}};
    const auto add = [&](uint32_t kind, uint32_t over, uint32_t from,
                         uint32_t to) {
      const uint64_t elements =
          kind == ZRT_ALL_REDUCE ? 3 : 5 * job.shape.ranks;
      job.add(ZRT_REDUCE, kind, over, elements, from, to, ZRT_F32, ZRT_F32,
              /*inPlace=*/false, /*accumulate=*/false);
    };
    const auto sum = [&] {
      add(ZRT_ALL_REDUCE, ZRT_OVER_ALL, ZRT_MEMBERS, ZRT_MEMBERS);
    };
    for (int i = 0; i < 4; ++i) {
      sum();
      add(ZRT_ALL_GATHER, ZRT_OVER_MEMBERS, ZRT_PART, ZRT_WHOLE);
      sum();
      add(ZRT_REDUCE_SCATTER, ZRT_OVER_GROUPS, ZRT_PART, ZRT_SLICE);
      sum();
      sum();
      add(ZRT_ALL_GATHER, ZRT_OVER_GROUPS, ZRT_SLICE, ZRT_PART);
      add(ZRT_REDUCE_SCATTER, ZRT_OVER_MEMBERS, ZRT_WHOLE, ZRT_PART);
    }
    const Chaos chaos(seed);
    runAndCompare(job, 6);
  }
}

TEST_P(GroupsTest, OnFourStreamsUnderChaos) {
  for (const int seed : {1, 2}) {
    const Chaos chaos(seed);
    GroupJob job = {GetParam(), {}, {}};
    for (int i = 0; i < 2; ++i) {
      addAll(job, ZRT_ALL_GATHER, 301, ZRT_BF16, ZRT_BF16, false);
      addAll(job, ZRT_REDUCE_SCATTER, 250, ZRT_BF16, ZRT_F32, true);
    }
    runAndCompare(job, 3);
  }
}

} // namespace
} // namespace groups
