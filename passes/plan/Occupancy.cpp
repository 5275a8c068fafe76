//===- Occupancy.cpp - Which bytes are taken, and when --------------------===//

#include "passes/plan/Occupancy.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>

using namespace mlir::zero;

Occupancy::Occupancy(unsigned points) : parts(points / kBlock + 1) {
  while (firstLeaf < parts.size())
    firstLeaf *= 2;
  through.resize(2 * firstLeaf);
  any.resize(2 * firstLeaf);
}

void Occupancy::Shadow::add(Run run) {
  auto first = llvm::partition_point(
      runs, [&](const Run &other) { return other.end < run.begin; });
  auto last = first;
  for (; last != runs.end() && last->begin <= run.end; ++last) {
    run = {std::min(run.begin, last->begin), std::max(run.end, last->end)};
    bytes -= last->end - last->begin;
  }
  bytes += run.end - run.begin;
  if (first == last) {
    runs.insert(first, run);
    return;
  }
  *first = run;
  runs.erase(first + 1, last);
}

void Occupancy::visitBetween(unsigned first, unsigned last,
                             llvm::function_ref<void(unsigned)> visit) const {
  unsigned left = firstLeaf + first, right = firstLeaf + last;
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
  unsigned left = firstLeaf + first, right = firstLeaf + last;
  for (; left != right; left /= 2, right /= 2) {
    any[left].add(run);
    any[right].add(run);
  }
  for (; left != 0; left /= 2)
    any[left].add(run);
  visitBetween(first, last, [&](unsigned node) {
    through[node].add(run);
    any[node].add(run);
  });
}

/// What is left of `gaps` beside `taken`, of pieces that hold `size` bytes.
/// Both are in order, and neither overlaps itself.
static void subtract(llvm::ArrayRef<Occupancy::Run> taken, int64_t size,
                     llvm::ArrayRef<Occupancy::Run> gaps,
                     std::vector<Occupancy::Run> &left) {
  left.clear();
  const auto *run = taken.begin();
  for (Occupancy::Run gap : gaps) {
    // Strides that double: next to each other or far apart, both are cheap.
    auto ends = [&](const auto &other) { return other.end <= gap.begin; };
    for (int64_t stride = 1; run != taken.end() && ends(*run); stride *= 2) {
      const auto *far = run + std::min<int64_t>(stride, taken.end() - run);
      run = ends(far[-1]) ? far : std::partition_point(run, far, ends);
    }
    // The last of them may reach into the next gap.
    for (const auto *next = run; next != taken.end() && next->begin < gap.end;
         ++next) {
      if (next->begin - gap.begin >= size)
        left.push_back({gap.begin, next->begin});
      gap.begin = next->end;
    }
    if (gap.end - gap.begin >= size)
      left.push_back(gap);
  }
}

int64_t Occupancy::findBestFit(unsigned birth, unsigned death, int64_t size,
                               int64_t base) const {
  unsigned first = birth / kBlock, last = death / kBlock;
  Shadow inParts;
  std::vector<const Shadow *> shadows = {&inParts};
  auto addParts = [&](unsigned block) {
    for (const Part &part : parts[block])
      if (part.birth <= death && birth <= part.death)
        inParts.add(part.bytes);
  };
  addParts(first);
  if (first != last)
    addParts(last);
  unsigned left = firstLeaf + first, right = firstLeaf + last;
  for (; left != right; left /= 2, right /= 2)
    shadows.insert(shadows.end(), {&through[left], &through[right]});
  for (; left != 0; left /= 2)
    shadows.push_back(&through[left]);
  visitBetween(first, last,
               [&](unsigned node) { shadows.push_back(&any[node]); });
  // Those that leave least first: few gaps are then looked up in the others.
  llvm::sort(shadows, [](const Shadow *a, const Shadow *b) {
    return a->bytes > b->bytes;
  });
  constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
  std::vector<Run> gaps = {{base, kEnd}}, remaining;
  for (const Shadow *shadow : shadows) {
    subtract(shadow->runs, size, gaps, remaining);
    std::swap(gaps, remaining);
  }
  return llvm::min_element(gaps,
                           [](const Run &a, const Run &b) {
                             return a.end - a.begin < b.end - b.begin;
                           })
      ->begin;
}
