//===- PlacementSearch.cpp - Layouts in the order of offsets --------------===//

#include "passes/plan/PlacementSearch.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <limits>
#include <numeric>

using namespace mlir::zero;

static constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
/// The blame of a failure, which those that did not fit share.
static constexpr int64_t kBlame = 1 << 20;

PlacementSearch::PlacementSearch(llvm::ArrayRef<PlacedItem> items,
                                 int64_t height, int64_t limit)
    : items(items), height(height), limit(limit), floor(items.size()),
      offsets(items.size()), placed(items.size()), meets(items.size()) {
  unsigned points = 0;
  for (const PlacedItem &item : items)
    points = std::max(points, item.last);
  itemsAt.resize(points);
  for (std::vector<int64_t> *each : {&left, &lowest, &lowLeft, &lowestLow})
    each->resize(points);
  for (auto [i, item] : llvm::enumerate(items)) {
    addLeft(item, 1);
    for (unsigned point = item.first; point != item.last; ++point)
      itemsAt[point].push_back(unsigned(i));
    for (auto [j, other] : llvm::enumerate(items))
      if (i != j && item.first < other.last && other.first < item.last)
        meets[i].push_back(unsigned(j));
  }
}

int64_t PlacementSearch::getFullest(unsigned item) const {
  return *std::max_element(left.begin() + items[item].first,
                           left.begin() + items[item].last);
}

bool PlacementSearch::run(std::vector<unsigned> ranks, int64_t nodes,
                          std::vector<int64_t> &blame) {
  rank = std::move(ranks);
  nodesLeft = nodes;
  blamed = &blame;
  std::vector<unsigned> all(items.size());
  std::iota(all.begin(), all.end(), 0);
  llvm::stable_sort(all, [&](unsigned a, unsigned b) {
    return items[a].first < items[b].first;
  });
  return placeAll(all, {0, -1});
}

/// Whether an item rests on those below it if it comes next.
bool PlacementSearch::mayBeNext(unsigned i, Last last) const {
  return floor[i] > last.offset ||
         (floor[i] == last.offset &&
          (last.item < 0 || rank[i] > rank[size_t(last.item)]));
}

int64_t PlacementSearch::lowestOffset(unsigned i, Last last) const {
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

bool PlacementSearch::isTooHigh(unsigned i, int64_t offset) const {
  return offset > (items[i].isLow ? limit : height) - items[i].size;
}

/// Whether what is left at a point does not fit above the lowest offsets of any
/// of it and of any low one.
bool PlacementSearch::isTooFull(unsigned point, int64_t lowest,
                                int64_t lowestLow) const {
  return (lowest != kNone && lowest > height - left[point]) ||
         (lowestLow != kNone && lowestLow > limit - lowLeft[point]);
}

bool PlacementSearch::fitsAt(unsigned point, Last last) {
  int64_t lowest = kNone, lowestLow = kNone;
  for (unsigned i : itemsAt[point]) {
    if (placed[i])
      continue;
    const int64_t offset = lowestOffset(i, last);
    if (isTooHigh(i, offset)) {
      (*blamed)[i] += kBlame;
      return false;
    }
    lowest = std::min(lowest, offset);
    if (items[i].isLow)
      lowestLow = std::min(lowestLow, offset);
  }
  if (!isTooFull(point, lowest, lowestLow))
    return true;
  blameAllAt(point);
  return false;
}

void PlacementSearch::blameAllAt(unsigned point) {
  auto isLeft = [&](unsigned i) { return !placed[i]; };
  const int64_t share = kBlame / llvm::count_if(itemsAt[point], isLeft);
  for (unsigned i : llvm::make_filter_range(itemsAt[point], isLeft))
    (*blamed)[i] += share;
}

/// A point, before `end`, at which the items of `list` do not fit.
std::optional<unsigned> PlacementSearch::findFailure(List list, unsigned end,
                                                     Last last) {
  const unsigned begin = items[list.front()].first;
  std::fill(lowest.begin() + begin, lowest.begin() + end, kNone);
  std::fill(lowestLow.begin() + begin, lowestLow.begin() + end, kNone);
  for (unsigned i : list) {
    const int64_t offset = lowestOffset(i, last);
    const PlacedItem &item = items[i];
    if (isTooHigh(i, offset)) {
      (*blamed)[i] += kBlame;
      return item.first;
    }
    for (unsigned point = item.first; point != item.last; ++point)
      lowest[point] = std::min(lowest[point], offset);
    if (item.isLow)
      for (unsigned point = item.first; point != item.last; ++point)
        lowestLow[point] = std::min(lowestLow[point], offset);
  }
  for (unsigned point = begin; point != end; ++point)
    if (isTooFull(point, lowest[point], lowestLow[point])) {
      blameAllAt(point);
      return point;
    }
  return std::nullopt;
}

bool PlacementSearch::canFit(List list, Last last) {
  const unsigned begin = items[list.front()].first;
  unsigned end = 0;
  for (unsigned i : list)
    end = std::max(end, items[i].last);
  for (unsigned &point : failed)
    if (point >= begin && point < end && !fitsAt(point, last)) {
      std::swap(point, failed.front());
      return false;
    }
  const std::optional<unsigned> failure = findFailure(list, end, last);
  if (!failure)
    return true;
  std::copy_backward(failed.begin(), failed.end() - 1, failed.end());
  failed.front() = *failure;
  return false;
}

void PlacementSearch::addLeft(const PlacedItem &item, int64_t sign) {
  for (unsigned point = item.first; point != item.last; ++point) {
    left[point] += sign * item.size;
    if (item.isLow)
      lowLeft[point] += sign * item.size;
  }
}

void PlacementSearch::place(unsigned i, int64_t offset) {
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

void PlacementSearch::takeBack(List list, size_t changesBefore) {
  for (; changes.size() > changesBefore; changes.pop_back())
    floor[changes.back().item] = changes.back().floor;
  for (unsigned i : list) {
    placed[i] = false;
    addLeft(items[i], 1);
  }
}

bool PlacementSearch::placeAll(List list, Last last) {
  if (list.empty())
    return true;
  if (--nodesLeft < 0 || !canFit(list, last))
    return false;
  // Stretches that nothing connects.
  llvm::SmallVector<List> parts;
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
      for (List done : llvm::ArrayRef(parts).take_front(number))
        takeBack(done, before);
      return false;
    }
  return true;
}

bool PlacementSearch::placeConnected(List list, Last last) {
  int64_t lowestEnd = kNone;
  for (unsigned i : list)
    lowestEnd =
        std::min(lowestEnd, std::max(last.offset, floor[i]) + items[i].size);
  // Below any that starts higher, the one that ends there would fit.
  llvm::SmallVector<unsigned> next;
  llvm::copy_if(list, std::back_inserter(next), [&](unsigned i) {
    return floor[i] < lowestEnd && mayBeNext(i, last);
  });
  llvm::sort(next, [&](unsigned a, unsigned b) {
    return std::pair(floor[a], rank[a]) < std::pair(floor[b], rank[b]);
  });
  std::vector<unsigned> others;
  for (auto [number, i] : llvm::enumerate(next)) {
    const PlacedItem &item = items[i];
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
