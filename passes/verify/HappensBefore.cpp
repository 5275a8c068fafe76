//===- HappensBefore.cpp - Order of operations across streams and ranks ---===//

#include "passes/verify/HappensBefore.h"

#include "dialect/zero/Storage.h"
#include "passes/verify/Diagnostics.h"
#include "passes/verify/KnownOperations.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

namespace {
class Simulation {
public:
  explicit Simulation(ArrayRef<Side> sides) : sides(sides) {}
  FailureOr<HappensBefore> run();

private:
  /// The number of operations that are over, for every stream of every side.
  using Clock = SmallVector<unsigned, kStreams>;

  struct Queue {
    SmallVector<Operation *> operations;
    size_t next = 0;
    Clock clock;
    Operation *head() const {
      return next < operations.size() ? operations[next] : nullptr;
    }
  };

  LogicalResult collect(int side);
  LogicalResult judgeSameCollectives();
  LogicalResult judgeSameStreams();
  bool advance(int side, int stream);
  bool runCollective(int stream);
  LogicalResult reportCircle();
  /// The queue that blocks `stream` of `side`; adds the reason to `error`.
  std::pair<int, int> findBlocker(int side, int stream,
                                  InFlightDiagnostic &error);
  StreamOfRank where(int side, int stream) const {
    return {Stream(stream), sides.size() > 1 ? sides[side].rank : -1};
  }
  Queue &queue(int side, int stream) {
    return queues[side * kStreams + stream];
  }
  static void merge(Clock &into, const Clock &from) {
    for (size_t i = 0; i < into.size(); ++i)
      into[i] = std::max(into[i], from[i]);
  }
  void enter(int side, int stream);

  ArrayRef<Side> sides;
  std::vector<Queue> queues;
  SmallVector<SmallVector<Operation *>>
      collectives; ///< by side, in issue order
  DenseMap<Value, Clock> events;
  HappensBefore order;
};
} // namespace

FailureOr<HappensBefore> judge::simulate(ArrayRef<Side> sides) {
  return Simulation(sides).run();
}

//===----------------------------------------------------------------------===//
// The queues
//===----------------------------------------------------------------------===//

LogicalResult Simulation::collect(int side) {
  Block &block = sides[side].body();
  for (Operation &op : block) {
    if (auto wait = dyn_cast<WaitOp>(op)) {
      auto record = wait.getEvent().getDefiningOp<RecordOp>();
      if (!record || record->getBlock() != &block ||
          !record->isBeforeInBlock(&op)) // (V10)
        return op.emitOpError("on ")
               << describe(where(side, int(wait.getOn())))
               << " waits for an event that no earlier operation of the "
                  "program records (V10)";
    } else if (!isa<RecordOp>(op) && namesBytes(&op)) {
      continue;
    }
    queue(side, int(getStream(&op))).operations.push_back(&op);
    if (isCollectiveCall(&op))
      collectives[side].push_back(&op);
  }
  return success();
}

/// Starts the head of the queue and makes its successor the head.
void Simulation::enter(int side, int stream) {
  Queue &q = queue(side, stream);
  Place &place = order[q.head()];
  unsigned *own = q.clock.data() + ptrdiff_t{side} * kStreams;
  std::copy(own, own + kStreams, place.over.begin());
  place.number = ++own[stream];
  ++q.next;
}

bool Simulation::runCollective(int stream) {
  for (int side = 0; side < int(sides.size()); ++side) {
    Operation *head = queue(side, stream).head();
    if (!head || !isCollectiveCall(head))
      return false;
  }
  // All sides have arrived: what each has done before is over for all.
  Clock all = queue(0, stream).clock;
  for (int side = 1; side < int(sides.size()); ++side)
    merge(all, queue(side, stream).clock);
  for (int side = 0; side < int(sides.size()); ++side) {
    enter(side, stream);
    merge(queue(side, stream).clock, all);
  }
  return true;
}

bool Simulation::advance(int side, int stream) {
  Queue &q = queue(side, stream);
  Operation *head = q.head();
  if (!head)
    return false;
  if (auto record = dyn_cast<RecordOp>(head)) {
    events[record.getEvent()] = q.clock;
    ++q.next;
    return true;
  }
  if (auto wait = dyn_cast<WaitOp>(head)) {
    auto event = events.find(wait.getEvent());
    if (event == events.end())
      return false;
    merge(q.clock, event->second);
    ++q.next;
    return true;
  }
  if (isCollectiveCall(head))
    return runCollective(stream);
  enter(side, stream);
  return true;
}

FailureOr<HappensBefore> Simulation::run() {
  queues.resize(sides.size() * kStreams);
  collectives.resize(sides.size());
  for (Queue &q : queues)
    q.clock.assign(sides.size() * kStreams, 0);
  for (int side = 0; side < int(sides.size()); ++side)
    if (failed(collect(side)))
      return failure();
  // Mismatched queues would hang or exchange garbage.  They are reported first,
  // because a cycle may be only their consequence.
  if (failed(judgeSameStreams()))
    return failure();
  for (bool any = true; any;) {
    any = false;
    for (int side = 0; side < int(sides.size()); ++side)
      for (int stream = 0; stream < kStreams; ++stream)
        while (advance(side, stream))
          any = true;
  }
  if (llvm::any_of(queues, [](const Queue &q) { return q.head(); })) {
    (void)reportCircle();
    return failure();
  }
  if (failed(judgeSameCollectives()))
    return failure();
  return std::move(order);
}

//===----------------------------------------------------------------------===//
// (V3) The same collectives
//===----------------------------------------------------------------------===//

/// Returns true if `a` and `b`, on two ranks, are one collective.  Their bytes
/// must match: peers look for a rank's source where their own is, and the
/// runtime compares all byte ranges.
static bool areSame(Operation *a, Operation *b) {
  if (a->getName() != b->getName() || getStream(a) != getStream(b) ||
      a->getResultTypes() != b->getResultTypes() ||
      a->getAttrDictionary() != b->getAttrDictionary())
    return false;
  return llvm::equal(a->getOperands(), b->getOperands(), [](Value x, Value y) {
    return x.getType() == y.getType() && bytesOf(x) == bytesOf(y);
  });
}

static std::string describeCollective(Operation *op) {
  std::string text = "'" + judge::describe(op) + "' on stream " +
                     stringifyStream(getStream(op)).str();
  auto add = [&](StringRef word, Value value) {
    if (BytesAttr bytes = bytesOf(value))
      text += (word + judge::describe(bytes)).str();
  };
  add(" from ", op->getOperand(0));
  add(" to ", op->getResult(0));
  return text;
}

/// Fails unless `list`, the collectives of `side`, equals `expected`, those of
/// `first`.
static LogicalResult judgeSame(const Side &first, const Side &side,
                               ArrayRef<Operation *> expected,
                               ArrayRef<Operation *> list) {
  for (size_t i = 0; i < std::max(list.size(), expected.size()); ++i) {
    if (i < list.size() && i < expected.size() && areSame(list[i], expected[i]))
      continue;
    bool ends = i >= list.size();
    Operation *at = ends ? side.body().getTerminator() : list[i];
    InFlightDiagnostic error = at->emitOpError(); // (V3)
    error << "is where rank " << side.rank
          << (ends ? " ends" : " issues collective ");
    if (!ends)
      error << i + 1 << ", " << describeCollective(list[i]);
    error << ", but rank " << first.rank
          << (i < expected.size()
                  ? " issues " + describeCollective(expected[i])
                  : std::string(" has issued all of its collectives"))
          << " (V3); all ranks issue the same collectives in the same order";
    if (i < expected.size())
      error.attachNote(expected[i]->getLoc())
          << "collective " << i + 1 << " of rank " << first.rank;
    return error;
  }
  return success();
}

LogicalResult Simulation::judgeSameCollectives() {
  for (size_t side = 1; side < sides.size(); ++side)
    if (failed(judgeSame(sides[0], sides[side], collectives[0],
                         collectives[side])))
      return failure();
  return success();
}

LogicalResult Simulation::judgeSameStreams() {
  for (size_t side = 1; side < sides.size(); ++side)
    for (int stream = 0; stream < kStreams; ++stream) {
      auto on = [&](ArrayRef<Operation *> list) {
        return llvm::filter_to_vector(
            list, [&](Operation *op) { return int(getStream(op)) == stream; });
      };
      // Comparing the order over all streams gives a better error.
      if (!llvm::equal(on(collectives[0]), on(collectives[side]), areSame))
        return judgeSame(sides[0], sides[side], collectives[0],
                         collectives[side]);
    }
  return success();
}

//===----------------------------------------------------------------------===//
// (V4) No cycle of waits
//===----------------------------------------------------------------------===//

std::pair<int, int> Simulation::findBlocker(int side, int stream,
                                            InFlightDiagnostic &error) {
  Operation *head = queue(side, stream).head();
  Diagnostic &note = error.attachNote(head->getLoc());
  note << describe(where(side, stream)) << " has come to '" << describe(head)
       << "', which waits for ";
  if (auto wait = dyn_cast<WaitOp>(head)) {
    auto record = wait.getEvent().getDefiningOp<RecordOp>();
    std::pair<int, int> blocker = {side, int(record.getOn())};
    note << "the record on " << describe(where(side, blocker.second));
    return blocker;
  }
  for (int peer = 0; peer < int(sides.size()); ++peer) {
    Operation *theirs = queue(peer, stream).head();
    if (!theirs || !isCollectiveCall(theirs)) {
      note << "rank " << sides[peer].rank;
      return {peer, stream};
    }
  }
  llvm_unreachable("a collective that everyone has come to goes on");
}

LogicalResult Simulation::reportCircle() {
  // Follow the blocking queues: after as many steps as there are queues, `at`
  // is on a cycle.
  std::pair<int, int> at;
  for (size_t i = 0; i < queues.size(); ++i)
    if (queues[i].head())
      at = {int(i) / kStreams, int(i) % kStreams};
  auto next = [&](std::pair<int, int> from) {
    InFlightDiagnostic unused = sides[0].body().getParentOp()->emitError();
    auto to = findBlocker(from.first, from.second, unused);
    unused.abandon();
    return to;
  };
  for (size_t i = 0; i < queues.size(); ++i)
    at = next(at);
  InFlightDiagnostic error = // (V4)
      queue(at.first, at.second).head()->emitOpError("on ");
  error << describe(where(at.first, at.second))
        << " waits for itself (V4); streams and ranks must not wait for each "
           "other in a circle";
  std::pair<int, int> start = at;
  do
    at = findBlocker(at.first, at.second, error);
  while (at != start);
  return error;
}
