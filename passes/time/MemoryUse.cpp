//===- MemoryUse.cpp - Bytes that are alive during a simulated program ----===//

#include "passes/time/MemoryUse.h"

#include "passes/plan/Lifetimes.h"

using namespace mlir;
using namespace mlir::zero;

FailureOr<MemoryUse> zero::getMemoryUse(const Schedule &schedule,
                                        const Timeline &timeline) {
  auto storage = analyzeStorage(schedule.getProgram(), /*asAssigned=*/true);
  if (failed(storage))
    return failure();
  DenseMap<Operation *, const Span *> spans;
  for (auto [task, span] : llvm::zip_equal(schedule.getTasks(), timeline.spans))
    spans[task.op] = &span;
  // By program point; an operation that only names bytes has the times of the
  // task before it.
  std::vector<std::pair<double, double>> times = {{0, 0}};
  for (Operation *op : storage->operations) {
    const Span *span = spans.lookup(op);
    times.push_back(span ? std::pair(span->begin, span->end) : times.back());
  }
  std::array<std::map<double, int64_t>, kNumTiers> changes;
  for (const Buffer &buffer : storage->buffers) {
    auto &ofTier = changes[unsigned(buffer.tier)];
    const bool isAlways = buffer.role != Buffer::Temporary;
    double born = times[std::min<size_t>(buffer.birth, times.size() - 1)].first,
           dead =
               times[std::min<size_t>(buffer.death, times.size() - 1)].second;
    ofTier[isAlways ? 0 : born] += buffer.size;
    if (!isAlways)
      ofTier[std::max(born, dead)] -= buffer.size;
  }
  MemoryUse use;
  for (auto [points, ofTier] : llvm::zip_equal(use, changes)) {
    int64_t alive = 0;
    for (auto [seconds, change] : ofTier)
      if (change) {
        alive += change;
        points.push_back({seconds, alive});
      }
  }
  return use;
}
