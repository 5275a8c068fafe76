//===- Packing.cpp - Places rectangles of bytes by time -------------------===//

#include "passes/plan/Packing.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

using namespace mlir::zero;

namespace {

constexpr int64_t kNone = std::numeric_limits<int64_t>::max();

/// A rectangle from one point at which rectangles begin or end to another,
/// the last not included.
struct Item {
  unsigned first, last;
  int64_t size;
  unsigned length; ///< in program points
  bool isLow;
};

std::vector<Item> compress(llvm::ArrayRef<BufferShape> rectangles) {
  std::vector<unsigned> points;
  for (const BufferShape &one : rectangles)
    points.insert(points.end(), {one.birth, one.death + 1});
  llvm::sort(points);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  auto number = [&](unsigned point) {
    return unsigned(llvm::lower_bound(points, point) - points.begin());
  };
  std::vector<Item> items;
  for (const BufferShape &one : rectangles)
    items.push_back({number(one.birth), number(one.death + 1), one.size,
                     one.death + 1 - one.birth, one.isLow});
  return items;
}

/// One search with one preference.
class Packing {
public:
  Packing(const std::vector<Item> &items, int64_t height, int64_t limit)
      : items(items), height(height), limit(limit), floor(items.size()),
        offsets(items.size()), placed(items.size()), meets(items.size()) {
    for (const Item &item : items) {
      left.resize(std::max<size_t>(left.size(), item.last));
      lowLeft.resize(left.size());
      addLeft(item, 1);
    }
    lowest.resize(left.size());
    lowestLow.resize(left.size());
    for (auto [i, item] : llvm::enumerate(items))
      for (auto [j, other] : llvm::enumerate(items))
        if (i != j && item.first < other.last && other.first < item.last)
          meets[i].push_back(unsigned(j));
  }

  /// The bytes that are alive at the fullest of the item's points.
  int64_t getFullest(unsigned i) const {
    return *std::max_element(left.begin() + items[i].first,
                             left.begin() + items[i].last);
  }

  /// Searches `nodes` nodes; items of a lower rank are tried first.
  bool run(std::vector<unsigned> ranks, int64_t nodes) {
    rank = std::move(ranks);
    nodesLeft = nodes;
    std::vector<unsigned> all(items.size());
    std::iota(all.begin(), all.end(), 0);
    llvm::stable_sort(all, [&](unsigned a, unsigned b) {
      return items[a].first < items[b].first;
    });
    return placeAll(all, {0, -1});
  }

  int64_t nodesLeft = 0;
  const std::vector<int64_t> &getOffsets() const { return offsets; }

private:
  /// The last one that was placed: the next ones are above it, or beside it and
  /// of a higher rank.
  struct Last {
    int64_t offset, item;
  };
  struct Change {
    unsigned item;
    int64_t floor;
  };

  /// Whether an item rests on those below it if it comes next.
  bool mayBeNext(unsigned i, Last last) const {
    return floor[i] > last.offset ||
           (floor[i] == last.offset &&
            (last.item < 0 || rank[i] > rank[size_t(last.item)]));
  }
  int64_t lowestOffset(unsigned i, Last last) const {
    if (mayBeNext(i, last))
      return floor[i];
    // Another one must come below it before.
    int64_t offset = kNone;
    for (unsigned j : meets[i])
      if (!placed[j])
        offset =
            std::min(offset, std::max(last.offset, floor[j]) + items[j].size);
    return offset;
  }

  void addLeft(const Item &item, int64_t sign) {
    for (unsigned point = item.first; point != item.last; ++point) {
      left[point] += sign * item.size;
      if (item.isLow)
        lowLeft[point] += sign * item.size;
    }
  }
  bool canFit(llvm::ArrayRef<unsigned> items, Last last);
  void place(unsigned i, int64_t offset);
  void takeBack(llvm::ArrayRef<unsigned> items, size_t changesBefore);
  bool placeAll(llvm::ArrayRef<unsigned> items, Last last);
  bool placeConnected(llvm::ArrayRef<unsigned> items, Last last);

  const std::vector<Item> &items;
  const int64_t height, limit;
  /// By item: the end of what is placed below it.
  std::vector<int64_t> floor, offsets;
  std::vector<char> placed;
  std::vector<llvm::SmallVector<unsigned>> meets;
  std::vector<unsigned> rank;
  /// By point: the bytes of items that are not placed, and the lowest offset
  /// of any of them; the same of low ones.
  std::vector<int64_t> left, lowest, lowLeft, lowestLow;
  std::vector<Change> changes; ///< of floors
};

} // namespace

bool Packing::canFit(llvm::ArrayRef<unsigned> list, Last last) {
  for (unsigned i : list)
    for (unsigned point = items[i].first; point != items[i].last; ++point)
      lowest[point] = lowestLow[point] = kNone;
  for (unsigned i : list) {
    const int64_t offset = lowestOffset(i, last);
    if (offset > (items[i].isLow ? limit : height) - items[i].size)
      return false;
    for (unsigned point = items[i].first; point != items[i].last; ++point) {
      lowest[point] = std::min(lowest[point], offset);
      if (items[i].isLow)
        lowestLow[point] = std::min(lowestLow[point], offset);
    }
  }
  return llvm::all_of(list, [&](unsigned i) {
    for (unsigned point = items[i].first; point != items[i].last; ++point)
      if (lowest[point] > height - left[point] ||
          (items[i].isLow && lowestLow[point] > limit - lowLeft[point]))
        return false;
    return true;
  });
}

void Packing::place(unsigned i, int64_t offset) {
  offsets[i] = offset;
  placed[i] = true;
  addLeft(items[i], -1);
  const int64_t end = offset + items[i].size;
  for (unsigned j : meets[i])
    if (!placed[j] && floor[j] < end) {
      changes.push_back({j, floor[j]});
      floor[j] = end;
    }
}

void Packing::takeBack(llvm::ArrayRef<unsigned> list, size_t changesBefore) {
  for (; changes.size() > changesBefore; changes.pop_back())
    floor[changes.back().item] = changes.back().floor;
  for (unsigned i : list) {
    placed[i] = false;
    addLeft(items[i], 1);
  }
}

/// Places the items of `list`, which are in the order of their first points.
bool Packing::placeAll(llvm::ArrayRef<unsigned> list, Last last) {
  if (list.empty())
    return true;
  // Stretches that nothing connects.
  llvm::SmallVector<llvm::ArrayRef<unsigned>> parts;
  size_t begin = 0;
  unsigned end = items[list.front()].last;
  for (size_t i = 1; i != list.size(); ++i) {
    if (items[list[i]].first >= end) {
      parts.push_back(list.slice(begin, i - begin));
      begin = i;
    }
    end = std::max(end, items[list[i]].last);
  }
  parts.push_back(list.drop_front(begin));
  const size_t before = changes.size();
  for (auto [number, part] : llvm::enumerate(parts))
    if (!placeConnected(part, last)) {
      for (llvm::ArrayRef<unsigned> done :
           llvm::ArrayRef(parts).take_front(number))
        takeBack(done, before);
      return false;
    }
  return true;
}

bool Packing::placeConnected(llvm::ArrayRef<unsigned> list, Last last) {
  if (--nodesLeft < 0 || !canFit(list, last))
    return false;
  int64_t lowestEnd = kNone;
  llvm::SmallVector<unsigned> next;
  for (unsigned i : list) {
    lowestEnd =
        std::min(lowestEnd, std::max(last.offset, floor[i]) + items[i].size);
    if (mayBeNext(i, last))
      next.push_back(i);
  }
  llvm::sort(next, [&](unsigned a, unsigned b) {
    return std::pair(floor[a], rank[a]) < std::pair(floor[b], rank[b]);
  });
  std::vector<unsigned> others;
  for (auto [number, i] : llvm::enumerate(next)) {
    if (floor[i] >= lowestEnd)
      return false; // the one that ends there would fit below
    const Item &item = items[i];
    // The same as one that was tried.
    if (llvm::any_of(llvm::ArrayRef(next).take_front(number), [&](unsigned j) {
          return items[j].first == item.first && items[j].last == item.last &&
                 items[j].size == item.size && items[j].isLow == item.isLow;
        }))
      continue;
    const size_t before = changes.size();
    place(i, floor[i]);
    others.clear();
    llvm::copy_if(list, std::back_inserter(others),
                  [i = i](unsigned j) { return j != i; });
    if (placeAll(others, {offsets[i], i}))
      return true;
    takeBack(i, before);
    if (nodesLeft < 0)
      return false;
  }
  return false;
}

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

Preference getPreference(unsigned number, const Item &item, double fullest,
                         double factor) {
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
  const std::vector<Item> items = compress(sized);
  const Packing empty(items, height, limit);
  Sequence random;
  constexpr int64_t kFirstNodes = 1000;
  constexpr double kVariation = 0.3;
  int64_t nodes = kFirstNodes;
  for (unsigned round = 0; mostNodes > 0; ++round) {
    if (round && round % 4 == 0)
      nodes *= 2;
    for (unsigned number = 0; number != kPreferences; ++number) {
      std::vector<Preference> preferences;
      for (unsigned i = 0; i != items.size(); ++i) {
        const double factor =
            round ? 1 + kVariation * (random.next() - 0.5) : 1;
        preferences.push_back(getPreference(
            number, items[i], double(empty.getFullest(i)), factor));
      }
      std::vector<unsigned> order(items.size()), ranks(items.size());
      std::iota(order.begin(), order.end(), 0);
      llvm::stable_sort(order, [&](unsigned a, unsigned b) {
        return std::pair(items[a].isLow, preferences[a]) >
               std::pair(items[b].isLow, preferences[b]);
      });
      for (auto [place, i] : llvm::enumerate(order))
        ranks[i] = unsigned(place);
      Packing search = empty;
      const int64_t granted = std::min(nodes, mostNodes);
      if (search.run(std::move(ranks), granted)) {
        std::vector<int64_t> offsets;
        auto next = search.getOffsets().begin();
        for (const BufferShape &one : rectangles)
          offsets.push_back(one.size > 0 ? *next++ : 0);
        return offsets;
      }
      mostNodes -= granted - std::max<int64_t>(search.nodesLeft, 0);
      if (search.nodesLeft >= 0)
        return std::nullopt; // all was searched
      if (mostNodes <= 0)
        break;
    }
  }
  return std::nullopt;
}
