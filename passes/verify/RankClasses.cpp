//===- RankClasses.cpp - Ranks whose replays are equal --------------------===//

#include "passes/verify/Rules.h"

#include "dialect/zero/PlanPrograms.h"
#include "dialect/zero/Storage.h"
#include "passes/verify/Accesses.h"
#include "passes/verify/KnownOperations.h"
#include "llvm/Support/BLAKE3.h"
#include <algorithm>
#include <set>

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

namespace {
class Places {
public:
  Places(ProgramOp program, const Ranges &ranges, const BucketLayouts &layouts)
      : program(program), ranges(ranges), layouts(layouts) {
    for (auto &[value, range] : ranges)
      fixed.append({range.getOffset(), range.getEnd()});
    llvm::sort(fixed);
    fixed.erase(llvm::unique(fixed), fixed.end());
    for (Operation &op : program.front())
      if (!namesBytes(&op) && getBucketRef(&op))
        users.push_back(&op);
  }

  /// The order of all places on `rank`, as a digest.
  std::array<uint8_t, 32> orderOn(int64_t rank) {
    SmallVector<int64_t> places;
    SmallVector<uint64_t> order;
    auto add = [&](Value value, const Spans &spans) {
      int64_t base = ranges.lookup(value).getOffset();
      order.push_back(spans.size());
      for (Span span : spans)
        places.append({base + span.begin, base + span.end});
    };
    for (auto &[argument, state, next] : findNextStates(program))
      add(argument,
          layouts.membersIn(state.getBucket().getValue(), argument.getType(),
                            Portion::Whole, rank));
    for (Operation *op : users) {
      Accesses accesses = findAccesses(op, layouts, rank);
      for (const ReadAccess &reading : accesses.reads)
        add(op->getOperand(reading.operand), reading.bytes);
      for (const WriteAccess &writing : accesses.writes)
        for (const Spans *spans :
             {&writing.written, &writing.defined, &writing.kept})
          add(op->getResult(writing.result), *spans);
    }
    SmallVector<int64_t> sorted(places);
    std::ranges::sort(sorted); // llvm::sort calls a function for each pair
    sorted.erase(llvm::unique(sorted), sorted.end());
    // The rank of each place among all places, and among the fixed ones.
    for (int64_t place : places) {
      auto among = llvm::lower_bound(fixed, place);
      order.push_back(llvm::lower_bound(sorted, place) - sorted.begin());
      order.push_back(2 * (among - fixed.begin()) +
                      (among != fixed.end() && *among == place));
    }
    return llvm::BLAKE3::hash(
        ArrayRef(reinterpret_cast<const uint8_t *>(order.data()),
                 order.size() * sizeof(uint64_t)));
  }

private:
  ProgramOp program;
  const Ranges &ranges;
  const BucketLayouts &layouts;
  SmallVector<int64_t> fixed;
  SmallVector<Operation *> users;
};
} // namespace

SmallVector<int64_t>
judge::findRankRepresentatives(ProgramOp program, ArrayRef<int64_t> ranks,
                               const Ranges &ranges,
                               const BucketLayouts &layouts) {
  if (ranks.size() == 1)
    return SmallVector<int64_t>(ranks);
  Places places(program, ranges, layouts);
  std::set<std::array<uint8_t, 32>> classes;
  SmallVector<int64_t> first;
  for (int64_t rank : ranks)
    if (classes.insert(places.orderOn(rank)).second)
      first.push_back(rank);
  return first;
}
