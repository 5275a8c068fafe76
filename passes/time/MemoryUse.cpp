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
  // The first begin and the last end of the tasks that use each buffer.
  std::vector<std::pair<double, double>> alive(storage->buffers.size(),
                                               {timeline.seconds, 0});
  for (Operation *op : storage->operations) {
    const Span *span = spans.lookup(op);
    if (!span)
      continue;
    auto use = [&](Value value) {
      auto place = storage->places.find(value);
      if (place == storage->places.end())
        return;
      auto &[begin, end] = alive[place->second.buffer];
      begin = std::min(begin, span->begin);
      end = std::max(end, span->end);
    };
    for (Value operand : op->getOperands())
      use(operand);
    for (Value result : op->getResults())
      use(result);
  }
  std::array<std::map<double, int64_t>, kNumTiers> changes;
  for (auto [buffer, span] : llvm::zip_equal(storage->buffers, alive)) {
    auto &ofTier = changes[unsigned(buffer.tier)];
    const bool isAlways = buffer.role != Buffer::Temporary;
    if (!isAlways && span.first > span.second)
      continue; // no task uses it
    ofTier[isAlways ? 0 : span.first] += buffer.size;
    if (!isAlways)
      ofTier[span.second] -= buffer.size;
  }
  MemoryUse use;
  for (auto [points, ofTier] : llvm::zip_equal(use, changes)) {
    int64_t bytes = 0;
    for (auto [seconds, change] : ofTier)
      if (change) {
        bytes += change;
        points.push_back({seconds, bytes});
      }
  }
  return use;
}
