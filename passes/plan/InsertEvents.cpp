//===- InsertEvents.cpp - Inserts all waits between streams ---------------===//
//
// Queues run ahead of each other, so program order alone orders nothing across
// streams.  An operation waits for
//
//   - the last writer of every byte that it reads: its operands' producers, and
//   - the last writer, and the readers since, of every byte that it writes:
//     the earlier users of those bytes (reuse).
//
//   %h = launch @a   reduce          %h = launch @a   reduce
//   %y = launch @b   compute    =>   %e = record on reduce
//                                    wait %e on compute
//                                    %y = launch @b   compute
//
// 1. Walk in program order with a ledger of bytes (last writer, last reader of
//    each stream since) and a vector clock of each stream: the operations of
//    every other stream that are known to be over.
// 2. Among the operations to wait for, take the latest in program order first
//    and merge its clock; an operation that the clock then covers needs no
//    event.
// 3. Then write one record after each awaited operation, and the waits.
//
// Padding of a flat gradient belongs to no value: reading it waits only for the
// producers of its members.
//
// The pass uses the records and waits that the step already has, so it is
// idempotent.  The step starts after a join of all streams, and ends with one.
//
//===----------------------------------------------------------------------===//

#include "dialect/zero/Storage.h"
#include "mlir/IR/Builders.h"
#include "passes/plan/Lifetimes.h"
#include "passes/plan/Passes.h"
#include "llvm/Support/DebugLog.h"
#include <array>
#include <map>

#define DEBUG_TYPE "zero-insert-events"

namespace mlir::zero {
#define GEN_PASS_DEF_INSERTEVENTS
#include "passes/plan/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

static constexpr unsigned kNumStreams = getMaxEnumValForStream() + 1;

namespace {

/// The number of operations of each stream that are known to be over.
using Clock = std::array<unsigned, kNumStreams>;

/// An operation that runs on a stream.
struct Run {
  Operation *op;
  unsigned stream;
  /// The clock of its stream once it is over; the entry of the stream itself is
  /// the number of `op` there.
  Clock clock;
};

struct Range {
  int64_t begin, end;
};

/// The last uses of the bytes of a tier.
class Ledger {
public:
  struct Segment {
    int64_t end;
    int writer = -1;
    std::array<int, kNumStreams> readers;
    Segment(int64_t end) : end(end) { readers.fill(-1); }
  };

  void read(Range range, int reader, unsigned stream,
            SmallVectorImpl<int> &before) {
    visit(range, [&](Segment &segment) {
      before.push_back(segment.writer);
      segment.readers[stream] = reader;
    });
  }

  void write(Range range, int writer, SmallVectorImpl<int> &before) {
    if (range.begin == range.end)
      return;
    visit(range, [&](Segment &segment) {
      before.push_back(segment.writer);
      before.append(segment.readers.begin(), segment.readers.end());
    });
    segments.erase(segments.lower_bound(range.begin),
                   segments.lower_bound(range.end));
    segments.emplace(range.begin, Segment(range.end)).first->second.writer =
        writer;
  }

private:
  /// Splits the segment across `at`, so that one begins there.
  void cut(int64_t at) {
    auto it = segments.upper_bound(at);
    if (it == segments.begin())
      return;
    --it;
    if (it->first == at || it->second.end <= at)
      return;
    Segment upper = it->second;
    it->second.end = at;
    segments.emplace(at, upper);
  }

  /// Calls `visitor` for the segments that cover `range`; unused bytes become
  /// new segments.
  template <typename Visitor>
  void visit(Range range, Visitor visitor) {
    if (range.begin == range.end)
      return;
    cut(range.begin);
    cut(range.end);
    int64_t at = range.begin;
    auto it = segments.lower_bound(at);
    while (at < range.end) {
      if (it == segments.end() || it->first > at) {
        int64_t end =
            it == segments.end() ? range.end : std::min(range.end, it->first);
        it = segments.emplace(at, Segment(end)).first;
      }
      visitor(it->second);
      at = it->second.end;
      ++it;
    }
  }

  std::map<int64_t, Segment> segments;
};

class DependenceAnalysis {
public:
  LogicalResult run(ProgramOp step);

  std::vector<Run> runs;
  /// The operations that wait, in program order, and the runs that each waits
  /// for.
  std::vector<std::pair<Operation *, SmallVector<int, 2>>> waits;

private:
  LogicalResult locate(Value value, Location loc);
  void name(Operation *op);
  void issue(Operation *op);

  std::array<Ledger, kNumTiers> ledgers;
  std::array<Clock, kNumStreams> streams{};
  DenseMap<Value, Clock> events;
  DenseMap<Value, BytesAttr> bytes;
  // The bytes of flat gradients and of views into them that are not padding.
  DenseMap<Value, SmallVector<Range>> contents;
  SymbolTableCollection symbols;
};

} // namespace

static void merge(Clock &into, const Clock &from) {
  for (unsigned i = 0; i != kNumStreams; ++i)
    into[i] = std::max(into[i], from[i]);
}

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

LogicalResult DependenceAnalysis::locate(Value value, Location loc) {
  if (!holdsBytes(value.getType()))
    return success();
  BytesAttr range = bytesOf(value);
  if (!range)
    return emitError(loc) << getValueName(value)
                          << " has no bytes; run zero-assign-memory first";
  bytes[value] = range;
  contents[value] = {{range.getOffset(), range.getEnd()}};
  return success();
}

/// Computes the contents of the results of an operation that only names bytes.
void DependenceAnalysis::name(Operation *op) {
  SmallVector<StorageTie> ties = getStorageTies(op, symbols);
  for (const StorageTie &tie : ties)
    contents[op->getResult(tie.result)].clear();
  for (const StorageTie &tie : ties) {
    Value result = op->getResult(tie.result);
    BytesAttr all = bytes.lookup(result);
    SmallVector<Range> inner = contents.lookup(op->getOperand(tie.operand));
    for (Range range : inner) {
      range = {std::max(range.begin, all.getOffset()),
               std::min(range.end, all.getEnd())};
      if (range.begin < range.end)
        contents[result].push_back(range);
    }
  }
}

/// Finds the runs that `op` waits for, and records its uses in the ledgers.
void DependenceAnalysis::issue(Operation *op) {
  unsigned stream = static_cast<unsigned>(getStream(op));
  Clock &now = streams[stream];
  int self = runs.size();
  SmallVector<int> before;
  for (Value operand : op->getOperands())
    if (holdsBytes(operand.getType()))
      for (Range range : contents[operand])
        ledgers[static_cast<unsigned>(bytes.lookup(operand).getTier())].read(
            range, self, stream, before);
  for (Value result : op->getResults())
    if (holdsBytes(result.getType())) {
      BytesAttr range = bytes.lookup(result);
      ledgers[static_cast<unsigned>(range.getTier())].write(
          {range.getOffset(), range.getEnd()}, self, before);
    }

  // The latest first: its clock may imply the others.
  llvm::sort(before, std::greater<int>());
  before.erase(llvm::unique(before), before.end());
  SmallVector<int, 2> awaited;
  for (int other : before) {
    if (other < 0 || other == self)
      continue;
    const Run &run = runs[other];
    if (run.stream == stream || now[run.stream] >= run.clock[run.stream])
      continue;
    awaited.push_back(other);
    merge(now, run.clock);
  }
  if (!awaited.empty())
    waits.emplace_back(op, std::move(awaited));
  ++now[stream];
  runs.push_back({op, stream, now});
}

LogicalResult DependenceAnalysis::run(ProgramOp step) {
  for (BlockArgument argument : step.getArguments())
    if (failed(locate(argument, step.getLoc())))
      return failure();
  for (Operation &op : step.front()) {
    for (OpResult result : op.getResults())
      if (failed(locate(result, op.getLoc())))
        return failure();
    unsigned stream = static_cast<unsigned>(getStream(&op));
    if (auto record = dyn_cast<RecordOp>(op))
      events[record.getEvent()] = streams[stream];
    else if (auto wait = dyn_cast<WaitOp>(op))
      merge(streams[stream], events.lookup(wait.getEvent()));
    else if (movesNothing(&op))
      name(&op);
    else
      issue(&op);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

static LogicalResult insertEvents(ProgramOp program) {
  DependenceAnalysis analysis;
  if (failed(analysis.run(program)))
    return failure();
  OpBuilder builder(program.getContext());
  DenseMap<int, Value> records;
  for (auto &[op, awaited] : analysis.waits)
    for (int other : awaited) {
      const Run &run = analysis.runs[other];
      Value &event = records[other];
      if (!event) {
        builder.setInsertionPointAfter(run.op);
        event = RecordOp::create(builder, run.op->getLoc(),
                                 static_cast<Stream>(run.stream));
      }
      LDBG() << *op << " waits for " << *run.op;
      builder.setInsertionPoint(op);
      WaitOp::create(builder, op->getLoc(), event, getStream(op));
    }
  return success();
}

namespace {
struct InsertEvents : zero::impl::InsertEventsBase<InsertEvents> {
  void runOnOperation() override {
    SmallVector<ProgramOp> programs = getPrograms(getOperation());
    if (programs.empty() || !llvm::all_of(programs, [](ProgramOp program) {
          return succeeded(insertEvents(program));
        }))
      signalPassFailure();
  }
};
} // namespace
