//===- OccupancyTest.cpp - Occupied bytes over time -----------------------===//

#include "passes/plan/Occupancy.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using mlir::zero::Occupancy;

namespace {

struct Rectangle {
  unsigned birth, death;
  int64_t begin, end;
};

/// Computes Occupancy::findBestFit by brute force over all rectangles.
int64_t findBestFit(std::vector<Rectangle> taken, unsigned birth,
                    unsigned death, int64_t size, int64_t base) {
  std::sort(
      taken.begin(), taken.end(),
      [](const Rectangle &a, const Rectangle &b) { return a.begin < b.begin; });
  int64_t cursor = base, best = -1, bestGap = INT64_MAX;
  for (const Rectangle &other : taken) {
    if (other.death < birth || death < other.birth)
      continue;
    if (int64_t gap = other.begin - cursor; gap >= size && gap < bestGap) {
      best = cursor;
      bestGap = gap;
    }
    cursor = std::max(cursor, other.end);
  }
  return best < 0 ? cursor : best;
}

} // namespace

TEST(Occupancy, FindsWhatLookingAtEveryBufferFinds) {
  std::mt19937_64 random(7);
  int inGaps = 0;
  for (unsigned points : {0u, 5u, 63u, 64u, 500u, 1500u}) {
    for (int64_t base : {0, 640}) {
      Occupancy occupancy(points);
      std::vector<Rectangle> taken;
      int64_t top = base;
      for (int i = 0; i < 1000; ++i) {
        unsigned birth = random() % (points + 1), death;
        // Most lifetimes are short, some span much of the program.
        death = birth + (random() % 4 ? random() % 8 : random() % (points + 1));
        death = std::min(death, points);
        // For a while few sizes occur, so that a search reuses data of an
        // earlier one; the data of other sizes are stale when these recur.
        int64_t size = 64 * (1 + random() % (i < 200 || i > 850 ? 20 : 5));
        int64_t place = occupancy.findBestFit(birth, death, size, base);
        ASSERT_EQ(place, findBestFit(taken, birth, death, size, base))
            << "buffer " << i << " of " << points << " points";
        inGaps += place + size <= top;
        top = std::max(top, place + size);
        occupancy.take(birth, death, place, place + size);
        taken.push_back({birth, death, place, place + size});
      }
    }
  }
  EXPECT_GT(inGaps, 1000) << "the gaps are what is tested";
}

TEST(Occupancy, KeepsApartWhatIsAliveTogether) {
  Occupancy occupancy(1000);
  occupancy.take(0, 1000, 0, 64);    // all the time
  occupancy.take(130, 700, 64, 128); // blocks in between
  occupancy.take(10, 20, 128, 256);  // some points of one block
  EXPECT_EQ(occupancy.findBestFit(0, 1000, 64, 0), 256);
  EXPECT_EQ(occupancy.findBestFit(300, 300, 64, 0), 128);
  EXPECT_EQ(occupancy.findBestFit(701, 1000, 64, 0), 64);
  EXPECT_EQ(occupancy.findBestFit(15, 15, 64, 0), 64);
  EXPECT_EQ(occupancy.findBestFit(15, 15, 65, 0), 256);
  EXPECT_EQ(occupancy.findBestFit(21, 129, 1 << 20, 0), 64);
}

// A deep network: the lifetimes of values that the forward keeps for the
// backward are nested, one layer in the next, and each layer has short-lived
// values as well.  Comparing all pairs of buffers would take minutes.
TEST(Occupancy, TakesADeepNetwork) {
  constexpr unsigned kLayers = 100000, kEnd = 2 * kLayers;
  Occupancy occupancy(kEnd);
  for (unsigned i = 0; i < kLayers; ++i) {
    int64_t kept = occupancy.findBestFit(i, kEnd - i, 128, 0);
    ASSERT_EQ(kept, int64_t{128} * i);
    occupancy.take(i, kEnd - i, kept, kept + 128);
  }
  for (unsigned i = 0; i < kLayers; ++i) {
    int64_t own = occupancy.findBestFit(i, i, 64, 0);
    ASSERT_EQ(own, int64_t{128} * (i + 1));
    occupancy.take(i, i, own, own + 64);
  }
}
