//===- SlicesTest.cpp - The slices of parameters on each rank -------------===//
#include "train/state/initialize/InitializeParameters.h"
#include "train/state/initialize/RandomFill.h"

#include "Slices.h"
#include "TestFiles.h"

using namespace zrt;
using namespace zrt::test;

namespace {

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
          if (piece.owner == rank || piece.owner == kEveryRank)
            EXPECT_TRUE(piece.here());
          next += piece.count;
        }
        EXPECT_EQ(next, kCounts[p]);
      }
    }
}

TEST(FindParameters, OfPartsGivesACopyToEachGroup) {
  // Slices of 4 elements; those of ranks 0, 2, 1, 3 follow each other.
  Slices s(4, 2);
  s.bucket(ZRT_PART).member("w", {14}, 0, 14);
  s.finish();
  const auto textOf = [&](int rank) {
    const auto parameters = s.parameters(rank);
    std::string text;
    for (const ParameterPiece &piece : parameters[0].pieces)
      text += fmt::format(
          "{}+{} of {}{} ", piece.first, piece.count, piece.owner,
          piece.here() ? fmt::format(" at {}", piece.at.offset) : "");
    return text;
  };
  for (const int rank : {0, 2})
    EXPECT_EQ(textOf(rank), "0+4 of 0 at 0 4+4 of 2 at 16 8+4 of 1 12+2 of 3 ");
  for (const int rank : {1, 3})
    EXPECT_EQ(textOf(rank), "0+4 of 0 4+4 of 2 8+4 of 1 at 0 12+2 of 3 at 16 ");
  s.states[0].extent = ZRT_SLICE;
  EXPECT_EQ(textOf(2), "0+4 of 0 4+4 of 2 at 0 8+4 of 1 12+2 of 3 ");
}

TEST(LoadParameters, ReadsTheRanksElementsAndTouchesNoOthers) {
  const TestFolder folder;
  writeModel(folder / "in");
  for (Slices &s : layouts())
    for (int rank = 0; rank < int(s.ranks); ++rank) {
      EXPECT_EQ(
          loadParameters(s.parameters(rank), folder / "in", s.memoryOf(rank)),
          "");
      EXPECT_EQ(s.memory[size_t(rank)], s.expected(rank, valueOf))
          << "rank " << rank << " of " << s.ranks;
    }
}

TEST(Initialize, IsTheSameForEveryLayout) {
  for (Slices &s : layouts())
    for (int rank = 0; rank < int(s.ranks); ++rank) {
      initializeParameters(s.parameters(rank), 5, 2, s.memoryOf(rank));
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

//===----------------------------------------------------------------------===//
// Plans that contradict themselves
//===----------------------------------------------------------------------===//

TEST(FindParameters, ChecksThatMembersTileTheirParameter) {
  const auto error = [](std::vector<std::pair<uint64_t, uint64_t>> ranges) {
    Slices s(2);
    for (const auto &[first, count] : ranges)
      s.bucket(ZRT_SLICE).member("w", {6, 4}, first, count);
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
    s.bucket(ZRT_SLICE).member("w", {6, 4}, 0, 12);
    s.bucket(ZRT_SLICE).member("w", {6, 4}, 12, 12);
    s.finish();
    change(s);
    return errorOf([&] { s.parameters(0); });
  };
  EXPECT_EQ(error([](Slices &) {}), "");
  EXPECT_EQ(error([](Slices &s) { s.states[1].dtype = ZRT_F64; }),
            "parameter w is f32 in one bucket and f64 in another");
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
    s.bucket(ZRT_SLICE).member("w", {6, 4}, 0, 24);
    s.bucket(ZRT_WHOLE).member("b", {5}, 0, 5);
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
            "bucket b: parameters are f64, f32, bf16 or f16, got i32");
}

} // namespace
