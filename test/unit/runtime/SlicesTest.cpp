//===- SlicesTest.cpp - Parameters that ranks hold in slices --------------===//
//
// Every test goes through many layouts: 1 to 4 ranks, buckets whole, sharded or
// mixed, parameters split by rows over buckets, odd sizes, padding.  What a
// rank's memory should hold is made by brute force: the whole bucket, element
// by element, and of it the rank's slice.
//
//===----------------------------------------------------------------------===//
#include "runtime/init/Initialize.h"
#include "runtime/init/RandomFill.h"
#include "runtime/io/Parameters.h"
#include "runtime/io/Safetensors.h"

#include "TestFiles.h"
#include "TestPlan.h"
#include "ThreadWorld.h"

#include <csignal>
#include <cstring>
#include <deque>
#include <sys/resource.h>

using namespace zrt;
using namespace zrt::test;

namespace {

constexpr float kUntouched = -7.0f;
constexpr zrt_init kNormal = {ZRT_INIT_NORMAL, 0, 0.0, 1.0};

/// A plan made by hand, and the memory of its ranks.
class Slices {
public:
  explicit Slices(uint32_t ranks) : ranks(ranks) {
    plan.world_size = ranks;
    plan.accumulate = 1;
  }
  Slices(Slices &&) = default;

  /// Members up to the next call are in this bucket.
  Slices &bucket(bool sharded) {
    buckets.push_back({"b", 0, 0, 0, nullptr});
    states.push_back({"param",
                      uint32_t(buckets.size() - 1),
                      ZRT_F32,
                      sharded ? 1u : 0u,
                      0,
                      {}});
    members.emplace_back();
    return *this;
  }
  /// Elements [first, first + count) of a parameter, at the next offset that is
  /// a multiple of 4.
  Slices &member(const char *name, const std::vector<int64_t> &shape,
                 uint64_t first, uint64_t count) {
    shapes.push_back(shape);
    uint64_t &elements = buckets.back().elements;
    elements = (elements + 3) / 4 * 4;
    members.back().push_back({name, uint32_t(shape.size()), 0,
                              shapes.back().data(), first, elements, count,
                              kNormal});
    elements += count;
    return *this;
  }
  const zrt_plan &finish() {
    uint64_t offset = 0;
    for (size_t b = 0; b < buckets.size(); ++b) {
      // Padded, so that every slice is a multiple of 4.
      const uint64_t step = 4 * uint64_t{ranks};
      buckets[b].elements = (buckets[b].elements + step - 1) / step * step;
      buckets[b].members = members[b].data();
      buckets[b].member_count = uint32_t(members[b].size());
      states[b].ref = deviceRef(offset, held(b) * 4);
      offset += states[b].ref.bytes + 16;
    }
    plan.buckets = buckets.data();
    plan.states = states.data();
    plan.bucket_count = plan.state_count = uint32_t(buckets.size());
    memory.assign(ranks, std::vector<float>(offset / 4, kUntouched));
    return plan;
  }

  std::vector<Parameter> parameters(int rank) {
    auto *base = reinterpret_cast<std::byte *>(memory[size_t(rank)].data());
    return findParameters(
        plan, rank, [base](const zrt_ref &ref) { return base + ref.offset; });
  }

  /// What `rank` holds where element i of parameter p is value(p, i).
  template <typename Value>
  std::vector<float> expected(int rank, Value value) const {
    std::vector<float> all(memory[0].size(), kUntouched);
    for (size_t b = 0; b < buckets.size(); ++b) {
      std::vector<float> whole(buckets[b].elements, kUntouched);
      for (const zrt_member &m : members[b])
        for (uint64_t i = 0; i < m.count; ++i)
          whole[m.offset + i] = value(m.name, m.first + i);
      const uint64_t begin = states[b].sharded ? uint64_t(rank) * held(b) : 0;
      std::copy_n(whole.begin() + long(begin), held(b),
                  all.begin() + long(states[b].ref.offset / 4));
    }
    return all;
  }

  const uint32_t ranks;
  std::deque<std::vector<zrt_member>> members;
  std::vector<zrt_bucket> buckets;
  std::vector<zrt_state> states;
  std::vector<std::vector<float>> memory; ///< of each rank
  zrt_plan plan = {};

private:
  uint64_t held(size_t b) const {
    return buckets[b].elements / (states[b].sharded ? ranks : 1);
  }
  std::deque<std::vector<int64_t>> shapes;
};

// wte 7 x 3, bias 5, w 11 x 4, scale (a scalar), none 0 x 3.
constexpr const char *kNames[] = {"wte", "bias", "w", "scale", "none"};
const std::vector<int64_t> kShapes[] = {{7, 3}, {5}, {11, 4}, {}, {0, 3}};
constexpr uint64_t kCounts[] = {21, 5, 44, 1, 0};

/// Everything in one bucket.
Slices together(uint32_t ranks, bool sharded) {
  Slices s(ranks);
  s.bucket(sharded);
  for (size_t p = 0; p < 5; ++p)
    s.member(kNames[p], kShapes[p], 0, kCounts[p]);
  s.finish();
  return s;
}

/// `w` in three buckets, its last rows before the middle ones.
Slices split(uint32_t ranks, bool first, bool others) {
  Slices s(ranks);
  s.bucket(first)
      .member("wte", kShapes[0], 0, 21)
      .member("bias", kShapes[1], 0, 5)
      .member("w", kShapes[2], 0, 12);
  s.bucket(others).member("w", kShapes[2], 32, 12);
  s.bucket(others)
      .member("w", kShapes[2], 12, 20)
      .member("scale", kShapes[3], 0, 1)
      .member("none", kShapes[4], 0, 0);
  s.finish();
  return s;
}

std::vector<Slices> layouts() {
  std::vector<Slices> all;
  for (uint32_t ranks = 1; ranks <= 4; ++ranks) {
    for (bool sharded : {false, true}) {
      all.push_back(together(ranks, sharded));
      all.push_back(split(ranks, sharded, sharded));
    }
    all.push_back(split(ranks, true, false));
    all.push_back(split(ranks, false, true));
  }
  return all;
}

/// No two elements of the model are alike.
float valueOf(std::string_view name, uint64_t element) {
  for (size_t p = 0; p < 5; ++p)
    if (name == kNames[p])
      return float(p) * 100 + float(element) + 0.25f;
  return NAN;
}

void writeModel(const std::string &path) {
  std::vector<std::vector<float>> values(5);
  std::vector<TensorToWrite> tensors;
  for (size_t p = 0; p < 5; ++p) {
    for (uint64_t i = 0; i < kCounts[p]; ++i)
      values[p].push_back(valueOf(kNames[p], i));
    tensors.push_back(
        {kNames[p], "F32", kShapes[p], values[p].data(), kCounts[p] * 4});
  }
  writeSafetensors(path, tensors);
}

TEST(FindParameters, GivesEachElementToOneRankOrToAll) {
  for (Slices &s : layouts())
    for (int rank = 0; rank < int(s.ranks); ++rank) {
      const auto parameters = s.parameters(rank);
      ASSERT_EQ(parameters.size(), 5u);
      for (size_t p = 0; p < 5; ++p) {
        EXPECT_EQ(parameters[p].name, kNames[p]);
        EXPECT_EQ(parameters[p].shape, kShapes[p]);
        EXPECT_EQ(parameters[p].elements, kCounts[p]);
        uint64_t next = 0;
        for (const ParameterPiece &piece : parameters[p].pieces) {
          EXPECT_EQ(piece.first, next);
          EXPECT_EQ(piece.data != nullptr,
                    piece.owner == rank || piece.owner == kEveryRank);
          next += piece.count;
        }
        EXPECT_EQ(next, kCounts[p]);
      }
    }
}

TEST(LoadParameters, ReadsTheRanksElementsAndTouchesNoOthers) {
  const TestFolder folder;
  writeModel(folder / "in");
  for (Slices &s : layouts())
    for (int rank = 0; rank < int(s.ranks); ++rank) {
      EXPECT_EQ(loadParameters(s.parameters(rank), folder / "in"), "");
      EXPECT_EQ(s.memory[size_t(rank)], s.expected(rank, valueOf))
          << "rank " << rank << " of " << s.ranks;
    }
}

TEST(Initialize, IsTheSameForEveryLayout) {
  for (Slices &s : layouts())
    for (int rank = 0; rank < int(s.ranks); ++rank) {
      initializeParameters(s.parameters(rank), 5, 2);
      EXPECT_EQ(s.memory[size_t(rank)],
                s.expected(rank,
                           [](const char *name, uint64_t element) {
                             float value = 0;
                             fillInitial(kNormal, 5, name, element, 1, &value);
                             return value;
                           }))
          << "rank " << rank << " of " << s.ranks;
    }
}

TEST(SaveParameters, WritesTheSameFileForEveryLayout) {
  const TestFolder folder;
  writeModel(folder / "in");
  for (Slices &s : layouts()) {
    runRanks(int(s.ranks), [&](World &world) {
      s.memory[size_t(world.rank())] = s.expected(world.rank(), valueOf);
      saveParameters(s.parameters(world.rank()), folder / "out", world);
    });
    EXPECT_EQ(readFile(folder / "out"), readFile(folder / "in"))
        << s.ranks << " ranks";
    EXPECT_EQ(folder.fileCount(), 2u);
  }
}

TEST(SaveParameters, KeepsEveryBit) {
  const TestFolder folder;
  Slices s(2);
  s.bucket(true).member("w", {12}, 0, 12);
  s.finish();
  const uint32_t odd[] = {0x80000000, 1, 0x7f800000, 0x7fc00001, 0xffffffff};
  for (auto &memory : s.memory)
    std::memcpy(memory.data(), odd, sizeof(odd));
  const auto before = s.memory;
  runRanks(2, [&](World &world) {
    saveParameters(s.parameters(world.rank()), folder / "out", world);
    s.memory[size_t(world.rank())].assign(s.memory[0].size(), kUntouched);
    loadParameters(s.parameters(world.rank()), folder / "out");
  });
  for (size_t rank = 0; rank < 2; ++rank)
    EXPECT_EQ(std::memcmp(s.memory[rank].data(), before[rank].data(),
                          rank == 0 ? 32 : 16),
              0);
}

TEST(SaveParameters, SendsLongPiecesInChunks) {
  // Each rank holds 2.5 chunks less a few elements.
  const TestFolder folder;
  const auto count = int64_t(5 * kSaveChunkBytes / 4) - 3;
  Slices s(2);
  s.bucket(true).member("w", {count}, 0, uint64_t(count));
  s.finish();
  const auto value = [](const char *, uint64_t i) { return float(i); };
  runRanks(2, [&](World &world) {
    s.memory[size_t(world.rank())] = s.expected(world.rank(), value);
    saveParameters(s.parameters(world.rank()), folder / "out", world);
  });
  const SafetensorsFile file(folder / "out");
  const TensorEntry *w = file.find("w");
  ASSERT_TRUE(w);
  ASSERT_EQ(w->elements, uint64_t(count));
  std::vector<float> values(w->elements);
  std::memcpy(values.data(), w->data, w->bytes);
  for (size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(values[i], float(i));
}

TEST(SaveParameters, ThatFailEndEveryRank) {
  // The limit on a file's size fails like a full disk.  8000 bytes let the
  // header and a part of the data through, 10 bytes nothing.
  const TestFolder folder;
  const std::string path = folder.write("out", "old");
  rlimit before = {};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  for (uint64_t limit : {10, 8000}) {
    Slices s(3);
    s.bucket(true)
        .member("a", {1001}, 0, 1001)
        .member("b", {2000}, 0, 2000)
        .member("c", {999}, 0, 999);
    s.bucket(true).member("d", {77}, 0, 77);
    s.finish();
    rlimit small = before;
    small.rlim_cur = limit;
    setrlimit(RLIMIT_FSIZE, &small);
    std::vector<std::string> errors(3);
    runRanks(3, [&](World &world) {
      errors[size_t(world.rank())] = errorOf(
          [&] { saveParameters(s.parameters(world.rank()), path, world); });
      // No word is left over that a later message would be taken for.
      const int mine = world.rank();
      std::vector<int> all(3);
      world.allGather(&mine, sizeof(mine), all.data());
      EXPECT_EQ(all, (std::vector<int>{0, 1, 2}));
    });
    setrlimit(RLIMIT_FSIZE, &before);
    const std::string own =
        "cannot write " + path + ": file too large; the old file is unchanged";
    EXPECT_EQ(errors[0], own);
    for (size_t rank : {1, 2})
      EXPECT_EQ(errors[rank].rfind("rank 0 failed: cannot write ", 0), 0u)
          << errors[rank];
    EXPECT_EQ(readFile(path), "old");
    EXPECT_EQ(folder.fileCount(), 1u);
  }
  std::signal(SIGXFSZ, handler);
}

TEST(SaveParameters, IntoNoFolderFailOnEveryRank) {
  Slices s = together(2, true);
  std::vector<std::string> errors(2);
  runRanks(2, [&](World &world) {
    errors[size_t(world.rank())] = errorOf([&] {
      saveParameters(s.parameters(world.rank()), "/none/out", world);
    });
  });
  EXPECT_EQ(errors[1], "rank 0 failed: " + errors[0]);
  EXPECT_NE(errors[0].find("cannot write /none/out"), std::string::npos);
}

//===----------------------------------------------------------------------===//
// Plans that contradict themselves
//===----------------------------------------------------------------------===//

TEST(FindParameters, ChecksThatMembersTileTheirParameter) {
  const auto error = [](std::vector<std::pair<uint64_t, uint64_t>> ranges) {
    Slices s(2);
    for (const auto &[first, count] : ranges)
      s.bucket(true).member("w", {6, 4}, first, count);
    s.finish();
    return errorOf([&] { s.parameters(0); });
  };
  EXPECT_EQ(error({{0, 8}, {16, 8}, {8, 8}}), "");
  EXPECT_EQ(error({{0, 8}, {16, 8}}),
            "parameter w: element 8 of 24 is in no bucket");
  EXPECT_EQ(error({{0, 20}}), "parameter w: element 20 of 24 is in no bucket");
  EXPECT_EQ(error({{4, 20}}), "parameter w: element 0 of 24 is in no bucket");
  EXPECT_EQ(error({{0, 12}, {8, 16}}),
            "parameter w: element 8 is in two buckets, or twice in one");
  EXPECT_EQ(error({{0, 24}, {0, 24}}),
            "parameter w: element 0 is in two buckets, or twice in one");
  EXPECT_EQ(error({{0, 25}}),
            "parameter w: shape 6 x 4 does not have 25 elements from 0 on");
  EXPECT_EQ(error({{UINT64_MAX, 2}}),
            "parameter w: shape 6 x 4 does not have 2 elements from "
            "18446744073709551615 on");
}

TEST(FindParameters, ChecksThatMembersAgree) {
  const auto error = [](auto change) {
    Slices s(2);
    s.bucket(true).member("w", {6, 4}, 0, 12);
    s.bucket(true).member("w", {6, 4}, 12, 12);
    s.finish();
    change(s);
    return errorOf([&] { s.parameters(0); });
  };
  EXPECT_EQ(error([](Slices &) {}), "");
  EXPECT_EQ(error([](Slices &s) { s.states[1].dtype = ZRT_F64; }),
            "parameter w has dtype 0 in one bucket and 1 in another");
  EXPECT_EQ(error([](Slices &s) { s.members[1][0].init.b = 2; }),
            "parameter w starts differently in two buckets");
  EXPECT_EQ(error([](Slices &s) { s.members[1][0].rank = 1; }),
            "parameter w: shape 6 does not have 12 elements from 12 on");
  const int64_t other[] = {4, 6};
  EXPECT_EQ(error([&](Slices &s) { s.members[1][0].shape = other; }),
            "parameter w is 6 x 4 in one bucket and 4 x 6 in another");
}

TEST(FindParameters, ChecksBucketsAndStates) {
  const auto error = [](auto change) {
    Slices s(2);
    s.bucket(true).member("w", {6, 4}, 0, 24);
    s.bucket(false).member("b", {5}, 0, 5);
    s.finish();
    change(s);
    return errorOf([&] { s.parameters(0); });
  };
  EXPECT_EQ(error([](Slices &s) { s.buckets[0].elements = 25; }),
            "bucket b: its 25 elements are not 2 slices of one size");
  EXPECT_EQ(error([](Slices &s) { s.members[0][0].offset = 1; }),
            "parameter w: 24 elements at 1 reach past bucket b of 24 elements");
  EXPECT_EQ(error([](Slices &s) { s.plan.state_count = 1; }),
            "bucket b has no \"param\" state");
  EXPECT_EQ(error([](Slices &s) { s.states[1].bucket = 0; }),
            "bucket b has two \"param\" states");
  EXPECT_EQ(error([](Slices &s) { s.states[1].dtype = ZRT_I32; }),
            "bucket b: parameters are f32 or f64, got dtype 2");
}

} // namespace
