//===- MemoryUse.cpp - Bytes that are alive during a simulated program ----===//

#include "passes/time/MemoryUse.h"

#include "dialect/zero/Locations.h"
#include "passes/plan/Lifetimes.h"
#include <algorithm>

using namespace mlir;
using namespace mlir::zero;

/// The place of a buffer's use in kMemoryCategories.
static size_t getCategory(const Buffer &buffer) {
  if (buffer.role != Buffer::Temporary)
    return 0;
  switch (buffer.use) {
  case BytesUse::Activations:
    return 1;
  case BytesUse::Communication:
    return 2;
  case BytesUse::Gradients:
    return 3;
  }
  llvm_unreachable("no use of temporaries");
}

FailureOr<std::array<MemoryUse, kNumTiers>>
zero::getMemoryUse(const Schedule &schedule, const Timeline &timeline) {
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
  std::array<std::map<double, MemoryPoint>, kNumTiers> changes;
  std::array<MemoryUse, kNumTiers> uses;
  for (auto [buffer, span] : llvm::zip_equal(storage->buffers, alive)) {
    auto &ofTier = changes[unsigned(buffer.tier)];
    const size_t category = getCategory(buffer);
    const bool isAlways = buffer.role != Buffer::Temporary;
    const auto [begin, end] = span;
    if (!isAlways && begin > end)
      continue; // no task uses it
    ofTier[isAlways ? 0 : begin].bytes[category] += buffer.size;
    if (isAlways)
      continue;
    ofTier[end].bytes[category] -= buffer.size;
    Operation *maker = buffer.name.getDefiningOp();
    uses[unsigned(buffer.tier)].largest.push_back(
        {begin, end, buffer.size, maker ? nameOperation(maker) : ""});
  }
  for (auto [use, ofTier] : llvm::zip_equal(uses, changes)) {
    MemoryPoint now;
    for (const auto &[seconds, change] : ofTier) {
      if (llvm::all_of(change.bytes, [](int64_t bytes) { return bytes == 0; }))
        continue;
      now.seconds = seconds;
      for (auto [bytes, more] : llvm::zip_equal(now.bytes, change.bytes))
        bytes += more;
      use.points.push_back(now);
    }
    std::ranges::stable_sort(use.largest, std::ranges::greater(),
                             &MemorySpan::bytes);
    use.largest.resize(std::min(use.largest.size(), kLargestSpans));
  }
  return uses;
}
