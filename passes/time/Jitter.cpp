//===- Jitter.cpp - A program on ranks that are not equally fast ----------===//

#include "passes/time/Jitter.h"

#include "dialect/zero/Storage.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::zero;

/// SplitMix64 (Steele, Lea and Flood, 2014).
static uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

/// A number from above 0 to 1 that depends on its arguments only.
static double draw(uint64_t seed, uint64_t run, uint64_t rank, uint64_t task) {
  return double(mix(mix(mix(mix(seed) + run) + rank) + task) >> 11 | 1) *
         0x1p-53;
}

double zero::simulateRanks(const Schedule &schedule, const Timeline &timeline,
                           int64_t ranks, const Jitter &jitter, uint64_t run) {
  ArrayRef<Task> tasks = schedule.getTasks();
  std::vector<size_t> lastUse(tasks.size());
  for (auto [i, task] : llvm::enumerate(tasks))
    for (unsigned before : task.after)
      lastUse[before] = i;
  const auto count = size_t(ranks);
  std::vector<std::vector<double>> ends(tasks.size());
  std::map<Stream, std::vector<double>> ofStream;
  for (auto [i, task] : llvm::enumerate(tasks)) {
    std::vector<double> &now = ofStream[task.stream];
    now.resize(count);
    for (unsigned before : task.after)
      for (size_t rank = 0; rank != count; ++rank)
        now[rank] = std::max(now[rank], ends[before][rank]);
    const bool meets = isCollective(task.op);
    if (meets)
      std::ranges::fill(now, *std::ranges::max_element(now));
    const Span &span = timeline.spans[i];
    for (size_t rank = 0; rank != count; ++rank) {
      // A collective takes as long as the links do, on all ranks alike.
      const uint64_t who = meets ? 0 : rank + 1;
      double factor =
          jitter.mean > 0
              ? 1 - jitter.mean * std::log(draw(jitter.seed, run, who, i))
              : 1;
      if (rank + 1 == count && task.stream == Stream::Compute)
        factor *= jitter.straggler;
      now[rank] += factor * (span.end - span.begin);
    }
    if (lastUse[i])
      ends[i] = now;
    for (unsigned before : task.after)
      if (lastUse[before] == i)
        std::vector<double>().swap(ends[before]);
  }
  double last = 0;
  for (const auto &[stream, now] : ofStream)
    last = std::max(last, *std::ranges::max_element(now));
  return last;
}
