//===- Placement.cpp - Places rectangles of bytes by time -----------------===//

#include "passes/plan/Placement.h"

#include "passes/plan/PlacementSearch.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <array>
#include <numeric>

using namespace mlir::zero;

int64_t mlir::zero::getLeastHeight(llvm::ArrayRef<BufferShape> rectangles) {
  std::vector<std::pair<unsigned, int64_t>>
      changes; // bytes that end come first
  for (const BufferShape &one : rectangles) {
    changes.emplace_back(one.birth, one.size);
    changes.emplace_back(one.death + 1, -one.size);
  }
  llvm::sort(changes);
  int64_t alive = 0, most = 0;
  for (const auto &[point, bytes] : changes)
    most = std::max(most, alive += bytes);
  return most;
}

/// The rectangles at the points where one dies and others were born since the
/// last such point: what is alive at any other point is alive at one of these.
static std::vector<PlacedItem>
compress(llvm::ArrayRef<BufferShape> rectangles) {
  std::vector<unsigned> births, deaths, points;
  for (const BufferShape &one : rectangles) {
    births.push_back(one.birth);
    deaths.push_back(one.death);
  }
  llvm::sort(births);
  llvm::sort(deaths);
  auto birth = births.begin();
  for (unsigned death : deaths) {
    auto next = std::upper_bound(birth, births.end(), death);
    if (next != birth)
      points.push_back(death);
    birth = next;
  }
  std::vector<PlacedItem> items;
  for (const BufferShape &one : rectangles)
    items.push_back(
        {unsigned(llvm::lower_bound(points, one.birth) - points.begin()),
         unsigned(llvm::upper_bound(points, one.death) - points.begin()),
         one.size, one.death + 1 - one.birth, one.isLow});
  return items;
}

namespace {

/// Numbers from 0 to 1 of a fixed sequence.
class Sequence {
public:
  double next() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return double(state >> 11) / double(uint64_t{1} << 53);
  }

private:
  uint64_t state = 1;
};

/// What an item is preferred for, the first that differs decides.
using Preference = std::array<double, 3>;
constexpr unsigned kPreferences = 6;

Preference getPreference(unsigned number, const PlacedItem &item,
                         double fullest, double factor) {
  const double length = item.length * factor, size = double(item.size) * factor,
               area = length * size;
  switch (number) {
  case 0:
    return {length, area, fullest};
  case 1:
    return {fullest, area, length};
  case 2:
    return {fullest, length, area};
  case 3:
    return {area, fullest, length};
  case 4:
    return {size, length, fullest};
  default:
    return {(item.last - item.first) * factor, size, fullest};
  }
}

/// Ranks of items for one search after another.  Those that did not fit in
/// searches before are preferred.
class Ranking {
public:
  Ranking(llvm::ArrayRef<PlacedItem> items, const PlacementSearch &search)
      : items(items), blame(items.size()) {
    for (unsigned i = 0; i != items.size(); ++i)
      fullest.push_back(double(search.getFullest(i)));
  }

  std::vector<unsigned> getRanks(unsigned round, unsigned number) {
    constexpr double kVariation = 0.1, kWideVariation = 0.3, kMostBlame = 4;
    const double most = double(std::max<int64_t>(1, *llvm::max_element(blame)));
    std::vector<Preference> preferences;
    for (auto [i, item] : llvm::enumerate(items)) {
      double factor = 1;
      if (round)
        factor += (isWide(round) ? kWideVariation : kVariation) *
                  (random.next() - 0.5);
      if (!isWide(round))
        factor *= 1 + kMostBlame * double(blame[i]) / most;
      preferences.push_back(getPreference(number, item, fullest[i], factor));
    }
    std::vector<unsigned> order(items.size()), ranks(items.size());
    std::iota(order.begin(), order.end(), 0);
    llvm::stable_sort(order, [&](unsigned a, unsigned b) {
      return std::pair(items[a].isLow, preferences[a]) >
             std::pair(items[b].isLow, preferences[b]);
    });
    for (auto [place, i] : llvm::enumerate(order))
      ranks[i] = unsigned(place);
    return ranks;
  }

  /// What a search that follows `getRanks` may add to.
  std::vector<int64_t> &getBlame(unsigned round) {
    return isWide(round) ? (unused = blame) : blame;
  }

private:
  /// Blame may mislead: some rounds do without, and vary more.
  static bool isWide(unsigned round) { return round % 8 == 1; }

  llvm::ArrayRef<PlacedItem> items;
  std::vector<double> fullest;
  std::vector<int64_t> blame, unused;
  Sequence random;
};

} // namespace

std::optional<std::vector<int64_t>>
mlir::zero::packInto(llvm::ArrayRef<BufferShape> rectangles, int64_t height,
                     int64_t mostNodes, int64_t limit) {
  if (getLeastHeight(rectangles) > height)
    return std::nullopt;
  // What has no bytes is anywhere.
  std::vector<BufferShape> sized;
  llvm::copy_if(rectangles, std::back_inserter(sized),
                [](const BufferShape &one) { return one.size > 0; });
  if (sized.empty())
    return std::vector<int64_t>(rectangles.size());
  const std::vector<PlacedItem> items = compress(sized);
  PlacementSearch search(items, height, limit);
  Ranking ranking(items, search);
  constexpr size_t kFirstNodes = 500;
  constexpr unsigned kRoundsBeforeMore = 16;
  // A descent to a layout takes a node for each item.
  int64_t nodes = int64_t(std::max(kFirstNodes, items.size() * 4 / 3));
  for (unsigned round = 0; mostNodes > 0; ++round) {
    if (round && round % kRoundsBeforeMore == 0)
      nodes *= 2;
    for (unsigned number = 0; number != kPreferences && mostNodes > 0;
         ++number) {
      const int64_t granted = std::min(nodes, mostNodes);
      if (search.run(ranking.getRanks(round, number), granted,
                     ranking.getBlame(round))) {
        std::vector<int64_t> offsets;
        auto next = search.getOffsets().begin();
        for (const BufferShape &one : rectangles)
          offsets.push_back(one.size > 0 ? *next++ : 0);
        return offsets;
      }
      if (search.getNodesLeft() >= 0)
        return std::nullopt; // all was searched
      mostNodes -= granted;
    }
  }
  return std::nullopt;
}
