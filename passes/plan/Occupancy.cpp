//===- Occupancy.cpp - Which bytes are taken, and when --------------------===//

#include "passes/plan/Occupancy.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>

using namespace mlir::zero;

Occupancy::Occupancy(unsigned points) : parts(points / kBlock + 1) {
  while (firstBlock < parts.size())
    firstBlock *= 2;
  through.resize(2 * firstBlock);
  any.resize(2 * firstBlock);
}

void Occupancy::add(Shadow &shadow, Run run) {
  auto first = llvm::partition_point(
      shadow, [&](const Run &other) { return other.end < run.begin; });
  auto last = first;
  for (; last != shadow.end() && last->begin <= run.end; ++last)
    run = {std::min(run.begin, last->begin), std::max(run.end, last->end)};
  if (first == last) {
    shadow.insert(first, run);
    return;
  }
  *first = run;
  shadow.erase(first + 1, last);
}

void Occupancy::visitBetween(unsigned first, unsigned last,
                             llvm::function_ref<void(unsigned)> visit) const {
  unsigned left = firstBlock + first, right = firstBlock + last;
  for (; (left ^ right) > 1; left /= 2, right /= 2) {
    if (left % 2 == 0)
      visit(left + 1);
    if (right % 2 == 1)
      visit(right - 1);
  }
}

void Occupancy::take(unsigned birth, unsigned death, int64_t begin,
                     int64_t end) {
  Run run{begin, end};
  unsigned first = birth / kBlock, last = death / kBlock;
  parts[first].push_back({birth, death, run});
  if (first != last)
    parts[last].push_back({birth, death, run});
  unsigned left = firstBlock + first, right = firstBlock + last;
  for (; left != right; left /= 2, right /= 2) {
    add(any[left], run);
    add(any[right], run);
  }
  for (; left != 0; left /= 2)
    add(any[left], run);
  visitBetween(first, last, [&](unsigned node) {
    add(through[node], run);
    add(any[node], run);
  });
}

/// The runs of both, in `sum`.
static void unite(llvm::ArrayRef<Occupancy::Run> a,
                  llvm::ArrayRef<Occupancy::Run> b, Occupancy::Shadow &sum) {
  sum.clear();
  while (!a.empty() || !b.empty()) {
    auto &next = b.empty() || (!a.empty() && a[0].begin < b[0].begin) ? a : b;
    if (!sum.empty() && next[0].begin <= sum.back().end)
      sum.back().end = std::max(sum.back().end, next[0].end);
    else
      sum.push_back(next[0]);
    next = next.drop_front();
  }
}

int64_t Occupancy::findBestFit(unsigned birth, unsigned death, int64_t size,
                               int64_t base) const {
  unsigned first = birth / kBlock, last = death / kBlock;
  Shadow taken, sum;
  auto addParts = [&](unsigned block) {
    for (const Part &part : parts[block])
      if (part.birth <= death && birth <= part.death)
        taken.push_back(part.bytes);
  };
  addParts(first);
  if (first != last)
    addParts(last);
  llvm::sort(taken,
             [](const Run &a, const Run &b) { return a.begin < b.begin; });

  std::vector<const Shadow *> shadows;
  unsigned left = firstBlock + first, right = firstBlock + last;
  for (; left != right; left /= 2, right /= 2)
    shadows.insert(shadows.end(), {&through[left], &through[right]});
  for (; left != 0; left /= 2)
    shadows.push_back(&through[left]);
  visitBetween(first, last,
               [&](unsigned node) { shadows.push_back(&any[node]); });
  // The small ones first: the large ones are then read once.
  llvm::sort(shadows, [](const Shadow *a, const Shadow *b) {
    return a->size() < b->size();
  });
  for (const Shadow *shadow : shadows)
    if (!shadow->empty()) {
      unite(taken, *shadow, sum);
      std::swap(taken, sum);
    }

  int64_t cursor = base, best = -1,
          bestGap = std::numeric_limits<int64_t>::max();
  for (const Run &run : taken) {
    int64_t gap = run.begin - cursor;
    if (gap >= size && gap < bestGap) {
      best = cursor;
      bestGap = gap;
    }
    cursor = std::max(cursor, run.end);
  }
  return best < 0 ? cursor : best;
}
