//===- PlacementTest.cpp - Rectangles of bytes by time --------------------===//

#include "passes/plan/Placement.h"

#include "gtest/gtest.h"

#include <fstream>
#include <random>
#include <sstream>

using namespace mlir::zero;

namespace {

/// Whether `offsets` place `rectangles` apart, within `height`.
bool isLayout(const std::vector<BufferShape> &rectangles,
              const std::vector<int64_t> &offsets, int64_t height) {
  if (offsets.size() != rectangles.size())
    return false;
  for (size_t i = 0; i != rectangles.size(); ++i) {
    const BufferShape &a = rectangles[i];
    if (offsets[i] < 0 || offsets[i] + a.size > height)
      return false;
    for (size_t j = 0; j != i; ++j) {
      const BufferShape &b = rectangles[j];
      if (a.birth <= b.death && b.birth <= a.death &&
          offsets[i] < offsets[j] + b.size && offsets[j] < offsets[i] + a.size)
        return false;
    }
  }
  return true;
}

std::vector<BufferShape> readInstance(const std::string &name) {
  std::ifstream file(ZERO_MINIMALLOC "/" + name + ".csv");
  std::string line;
  std::getline(file, line);
  std::vector<BufferShape> rectangles;
  while (std::getline(file, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream words(line);
    int64_t id = 0, lower = 0, upper = 0, size = 0;
    words >> id >> lower >> upper >> size;
    rectangles.push_back({unsigned(lower), unsigned(upper - 1), size});
  }
  return rectangles;
}

void checkInstance(const std::string &name, int64_t mostNodes) {
  constexpr int64_t kHeight = 1048576;
  const std::vector<BufferShape> rectangles = readInstance(name);
  ASSERT_GT(rectangles.size(), 100u);
  ASSERT_LE(getLeastHeight(rectangles), kHeight);
  auto offsets = packInto(rectangles, kHeight, mostNodes);
  ASSERT_TRUE(offsets);
  EXPECT_TRUE(isLayout(rectangles, *offsets, kHeight));
}

/// Cuts points [birth, death] x bytes [0, size) into pieces.
void cut(BufferShape whole, unsigned depth, std::mt19937 &random,
         std::vector<BufferShape> &pieces) {
  const unsigned length = whole.death - whole.birth + 1;
  const bool isAcross = random() % 2;
  if (depth == 0 || (isAcross ? length < 2 : whole.size < 2)) {
    pieces.push_back(whole);
    return;
  }
  BufferShape a = whole, b = whole;
  if (isAcross) {
    a.death = whole.birth + random() % (length - 1);
    b.birth = a.death + 1;
  } else {
    a.size = 1 + int64_t(random() % uint64_t(whole.size - 1));
    b.size = whole.size - a.size;
  }
  cut(a, depth - 1, random, pieces);
  cut(b, depth - 1, random, pieces);
}

class Instance : public testing::TestWithParam<const char *> {};

} // namespace

/// The hardest, I, takes 610'748 nodes.
TEST_P(Instance, Fits) { checkInstance(GetParam(), 1'000'000); }
INSTANTIATE_TEST_SUITE_P(MiniMalloc, Instance,
                         testing::Values("A", "B", "C", "D", "E", "F", "G", "H",
                                         "I", "J", "K"));

/// Pieces of a whole fit into it, and never into less.
TEST(Placement, Pieces) {
  std::mt19937 random(1);
  for (int round = 0; round != 300; ++round) {
    const int64_t height = 2 + int64_t(random() % 60);
    std::vector<BufferShape> pieces;
    cut({3, 3 + unsigned(random() % 20), height}, 4, random, pieces);
    std::shuffle(pieces.begin(), pieces.end(), random);
    EXPECT_EQ(getLeastHeight(pieces), height);
    auto offsets = packInto(pieces, height, 2'000'000);
    ASSERT_TRUE(offsets) << "round " << round;
    EXPECT_TRUE(isLayout(pieces, *offsets, height)) << "round " << round;
    EXPECT_FALSE(packInto(pieces, height - 1, 1'000));
  }
}

/// No rectangles, and rectangles of no bytes.
TEST(Placement, Empty) {
  EXPECT_EQ(getLeastHeight({}), 0);
  EXPECT_TRUE(packInto({}, 0, 1).value().empty());
  const std::vector<BufferShape> rectangles = {
      {0, 0, 2}, {0, 1, 1}, {1, 2, 2}, {2, 2, 1}, {1, 1, 0}};
  EXPECT_EQ(getLeastHeight(rectangles), 3);
  auto offsets = packInto(rectangles, 3, 1'000);
  ASSERT_TRUE(offsets);
  EXPECT_TRUE(isLayout(rectangles, *offsets, 3));
  EXPECT_FALSE(packInto(rectangles, 2, 1'000));
}

/// The same search has the same result.
TEST(Placement, IsRepeatable) {
  const std::vector<BufferShape> rectangles = readInstance("C");
  EXPECT_EQ(packInto(rectangles, 1048576, 100'000),
            packInto(rectangles, 1048576, 100'000));
  EXPECT_FALSE(packInto(readInstance("E"), 1048576, 1'000));
}
