//===- Occupancy.cpp - Free and taken bytes over time ---------------------===//

#include "passes/plan/Occupancy.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <limits>

using namespace mlir::zero;

//===----------------------------------------------------------------------===//
// Taken bytes
//===----------------------------------------------------------------------===//

Occupancy::Occupancy(unsigned points)
    : parts(points / kBlock + 1), lastQueries(kLastQueries) {
  while (firstLeaf < parts.size())
    firstLeaf *= 2;
  const size_t nodes = size_t{2} * firstLeaf;
  spanning.resize(nodes);
  overlapping.resize(nodes);
}

void Occupancy::Shadow::add(Run run) {
  auto first = llvm::partition_point(
      runs, [&](const Run &other) { return other.end < run.begin; });
  auto last = first;
  for (; last != runs.end() && last->begin <= run.end; ++last)
    run = {std::min(run.begin, last->begin), std::max(run.end, last->end)};
  if (first == last) {
    runs.insert(first, run);
    return;
  }
  *first = run;
  runs.erase(first + 1, last);
}

/// One level of a bottom-up walk over a segment tree: calls `visit` for the
/// siblings of `left` and `right` that lie between the two.
static void visitSiblings(unsigned left, unsigned right,
                          llvm::function_ref<void(unsigned)> visit) {
  if ((left ^ right) <= 1)
    return;
  if (left % 2 == 0)
    visit(left + 1);
  if (right % 2 == 1)
    visit(right - 1);
}

void Occupancy::take(unsigned birth, unsigned death, int64_t begin,
                     int64_t end) {
  Run run{begin, end};
  unsigned first = birth / kBlock, last = death / kBlock;
  buffers.push_back({birth, death, run});
  parts[first].push_back(buffers.back());
  if (first != last)
    parts[last].push_back(buffers.back());
  unsigned left = firstLeaf + first, right = firstLeaf + last;
  for (; left != right; left /= 2, right /= 2) {
    overlapping[left].add(run);
    overlapping[right].add(run);
    visitSiblings(left, right, [&](unsigned node) {
      spanning[node].add(run);
      overlapping[node].add(run);
    });
  }
  for (; left != 0; left /= 2)
    overlapping[left].add(run);
}

//===----------------------------------------------------------------------===//
// Gaps
//===----------------------------------------------------------------------===//

/// Galloping search: returns the first element of a sorted range that is not
/// `before`.  The strides double, so near and far elements are cheap to find.
template <typename Predicate>
static const Occupancy::Run *
gallop(const Occupancy::Run *at, const Occupancy::Run *end, Predicate before) {
  for (int64_t stride = 1; at != end && before(*at); stride *= 2) {
    const auto *far = at + std::min<int64_t>(stride, end - at);
    at = before(far[-1]) ? far : std::partition_point(at, far, before);
  }
  return at;
}

/// Sets `left` to the pieces of `gaps` outside of `used` that hold `size`
/// bytes.  Both inputs are sorted and disjoint.
static void subtract(llvm::ArrayRef<Occupancy::Run> used, int64_t size,
                     llvm::ArrayRef<Occupancy::Run> gaps,
                     std::vector<Occupancy::Run> &left) {
  left.clear();
  const auto *run = used.begin(), *gap = gaps.begin();
  while (gap != gaps.end()) {
    run = gallop(run, used.end(),
                 [&](const auto &other) { return other.end <= gap->begin; });
    const auto *free = gap;
    gap = run == used.end() ? gaps.end()
                            : gallop(gap, gaps.end(), [&](const auto &other) {
                                return other.end <= run->begin;
                              });
    left.insert(left.end(), free, gap);
    if (gap == gaps.end() || run->end <= gap->begin)
      continue;
    // The last overlapping run may reach into the next gap.
    Occupancy::Run rest = *gap++;
    for (const auto *next = run; next != used.end() && next->begin < rest.end;
         ++next) {
      if (next->begin - rest.begin >= size)
        left.push_back({rest.begin, next->begin});
      rest.begin = next->end;
    }
    if (rest.end - rest.begin >= size)
      left.push_back(rest);
  }
}

/// Removes `run` from `gaps`, and pieces that no longer hold `size` bytes.
static void cut(std::vector<Occupancy::Run> &gaps, Occupancy::Run run,
                int64_t size) {
  auto first = llvm::partition_point(
      gaps, [&](const auto &gap) { return gap.end <= run.begin; });
  auto last = first;
  llvm::SmallVector<Occupancy::Run, 2> left;
  for (; last != gaps.end() && last->begin < run.end; ++last) {
    if (run.begin - last->begin >= size)
      left.push_back({last->begin, run.begin});
    if (last->end - run.end >= size)
      left.push_back({run.end, last->end});
  }
  gaps.insert(gaps.erase(first, last), left.begin(), left.end());
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

/// The nodes of a query, from the root down: the ancestors of the first and the
/// last block, and the nodes in between.
std::vector<Occupancy::Key> Occupancy::findKeys(unsigned first,
                                                unsigned last) const {
  std::vector<Key> keys;
  unsigned left = firstLeaf + first, right = firstLeaf + last;
  for (; left != right; left /= 2, right /= 2) {
    visitSiblings(left, right,
                  [&](unsigned node) { keys.push_back({node, false}); });
    keys.push_back({left, true});
    keys.push_back({right, true});
  }
  for (; left != 0; left /= 2)
    keys.push_back({left, true});
  std::reverse(keys.begin(), keys.end());
  return keys;
}

Occupancy::LastQuery &Occupancy::findLastQuery(int64_t size, int64_t base) {
  auto found = llvm::find_if(lastQueries, [&](const LastQuery &last) {
    return last.size == size && last.base == base;
  });
  if (found == lastQueries.end()) {
    found = llvm::min_element(lastQueries,
                              [](const LastQuery &a, const LastQuery &b) {
                                return a.lastUse < b.lastUse;
                              });
    found->size = size;
    found->base = base;
    found->numSteps = 0;
  }
  found->lastUse = ++numQuestions;
  return *found;
}

bool Occupancy::touches(const Part &part, Key key) const {
  unsigned begin = key.node, end = key.node + 1;
  for (; begin < firstLeaf; begin *= 2, end *= 2)
    ;
  begin -= firstLeaf;
  end -= firstLeaf;
  unsigned first = part.birth / kBlock, last = part.death / kBlock;
  return key.allThrough ? first < begin && end <= last
                        : first < end && begin <= last;
}

size_t Occupancy::reuse(LastQuery &last, llvm::ArrayRef<Key> keys) const {
  size_t common = 0, most = std::min(last.numSteps, keys.size());
  while (common < most && last.steps[common].key == keys[common])
    ++common;
  if (common == 0)
    return 0;
  Step &step = last.steps[common - 1];
  llvm::ArrayRef<Part> changes = llvm::ArrayRef(buffers).drop_front(step.seen);
  if (changes.size() > kMostChanges)
    return 0;
  for (const Part &part : changes)
    if (llvm::any_of(keys.take_front(common),
                     [&](Key key) { return touches(part, key); }))
      cut(step.gaps, part.bytes, last.size);
  step.seen = buffers.size();
  return common;
}

int64_t Occupancy::findBestFit(unsigned birth, unsigned death, int64_t size,
                               int64_t base) {
  unsigned first = birth / kBlock, last = death / kBlock;
  std::vector<Key> keys = findKeys(first, last);
  LastQuery &query = findLastQuery(size, base);
  size_t next = reuse(query, keys);
  query.numSteps = keys.size();
  if (query.steps.size() < keys.size())
    query.steps.resize(keys.size());
  constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
  const Run everything = {base, kEnd};
  llvm::ArrayRef<Run> gaps = everything;
  if (next > 0)
    gaps = query.steps[next - 1].gaps;
  for (; next != keys.size(); ++next) {
    Step &step = query.steps[next];
    step.key = keys[next];
    step.seen = buffers.size();
    const Shadow &shadow =
        (step.key.allThrough ? spanning : overlapping)[step.key.node];
    subtract(shadow.runs, size, gaps, step.gaps);
    gaps = step.gaps;
  }
  Shadow inParts;
  auto addParts = [&](unsigned block) {
    for (const Part &part : parts[block])
      if (part.birth <= death && birth <= part.death)
        inParts.add(part.bytes);
  };
  addParts(first);
  if (first != last)
    addParts(last);
  std::vector<Run> left;
  subtract(inParts.runs, size, gaps, left);
  return llvm::min_element(left,
                           [](const Run &a, const Run &b) {
                             return a.end - a.begin < b.end - b.begin;
                           })
      ->begin;
}
