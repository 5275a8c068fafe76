//===- Replay.cpp - Replays the contents of a rank's bytes ----------------===//
//
// Replays a program on one rank, in program order, which is one of the orders
// in which its streams may run.  Each byte holds a version: a number that every
// write replaces by a new one.  A value consists of the versions of its bytes
// at its definition; bytes that its operation leaves undefined (padding, other
// ranks' slices of a reduced bucket) do not belong to it.  A view or a flatten
// takes the versions of its operands.
//
// If each use finds the versions of its value here, and the uses of each byte
// have a known order (HappensBefore.h), then it finds them in every order in
// which the streams may run.  A write must come after all earlier uses, so each
// byte keeps only its last writer, and the last reader of each stream since
// then.
//
//   (V1)  a use finds the versions of its value, and comes after their writers.
//   (V2)  a write comes after every earlier read and write of its bytes ...
//   (V5)  ... and after the collectives in which peers read them.
//   (V6)  the next state still exists when the program ends.
//   (V9)  only defined bytes are read: padding and other ranks' slices never
//         reach the model, the norm, an update or a collective, and @count does
//         not read the means that it is to compute.
//
//===----------------------------------------------------------------------===//

#include "passes/verify/Rules.h"

#include "dialect/zero/PlanPrograms.h"
#include "passes/verify/Accesses.h"
#include "passes/verify/ByteMap.h"
#include "passes/verify/Diagnostics.h"
#include "passes/verify/KnownOperations.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

namespace {

/// Bytes [begin, end) of one version.
struct Piece {
  int64_t begin, end;
  unsigned version;
};
/// The pieces of one value, sorted and disjoint.
using Pieces = SmallVector<Piece, 1>;

void sortPieces(Pieces &pieces) {
  llvm::sort(pieces,
             [](const Piece &a, const Piece &b) { return a.begin < b.begin; });
}

/// The first of `pieces` that ends after `at`.
const Piece *findFrom(const Pieces &pieces, int64_t at) {
  return llvm::partition_point(
      pieces, [&](const Piece &piece) { return piece.end <= at; });
}

class Replay {
public:
  Replay(ProgramOp program, StringRef name, int64_t rank, const Ranges &ranges,
         const HappensBefore &order, const BucketLayouts &layouts)
      : program(program), name(name), rank(rank), ranges(ranges), order(order),
        layouts(layouts) {}

  LogicalResult run();

private:
  void enterArguments();
  bool isWritten(BlockArgument argument);
  void takeOver(Operation *op);
  LogicalResult execute(Operation *op);
  LogicalResult read(Operation *op, const ReadAccess &reading);
  LogicalResult readPieces(Operation *op, const ReadAccess &reading,
                           std::shared_ptr<WholeReads> whole);
  LogicalResult write(Operation *op, const WriteAccess &writing);
  LogicalResult finish(Operation *op);
  LogicalResult judgeHeld(Operation *op, Value value, const Spans &bytes);
  LogicalResult judgePresent(Operation *op, Value value, const Spans &bytes,
                             StringRef rule);
  LogicalResult judgeAfter(Operation *op, OpResult result, const Use &use,
                           bool wrote, Span bytes);
  InFlightDiagnostic unordered(Operation *op, const Twine &what,
                               const Twine &where, const Use &use,
                               StringRef past, StringRef rule);

  Use useBy(Operation *op, bool byPeers = false) const {
    return {op, int(getStream(op)), order.at(op).number, byPeers};
  }
  bool isOver(const Use &use, Operation *op) const {
    return !use.op || use.stream == int(getStream(op)) ||
           order.at(op).over[use.stream] >= use.number;
  }
  StreamOfRank where(int stream) const {
    if (layouts.getRanks() == 1)
      return {Stream(stream)};
    return {Stream(stream), rank,
            layouts.countGroups() > 1 ? rank / layouts.getGroupSize() : -1};
  }
  ByteMap &bytesOf(Value value) {
    return tiers[int(ranges.lookup(value).getTier())];
  }
  unsigned addVersion(Use writer) {
    writers.push_back(writer);
    return writers.size() - 1;
  }
  /// Calls `visit` for the parts of `value`'s pieces among `bytes`.
  template <typename Visitor>
  LogicalResult visitPieces(Value value, const Spans &bytes, Visitor visit) {
    int64_t base = ranges.lookup(value).getOffset();
    const Pieces &pieces = values[value];
    for (Span span : bytes) {
      int64_t first = base + span.begin, last = base + span.end;
      for (const Piece *piece = findFrom(pieces, first);
           piece != pieces.end() && piece->begin < last; ++piece)
        if (failed(visit(Piece{std::max(piece->begin, first),
                               std::min(piece->end, last), piece->version})))
          return failure();
    }
    return success();
  }

  ProgramOp program;
  StringRef name;
  int64_t rank;
  const Ranges &ranges;
  const HappensBefore &order;
  const BucketLayouts &layouts;
  ByteMap tiers[kNumTiers];
  std::vector<Use> writers; ///< by version
  DenseMap<Value, Pieces> values;
  /// The reads of values that consist of several pieces.
  DenseMap<Value, std::shared_ptr<WholeReads>> wholeReads;
  SymbolTableCollection symbols;
};

} // namespace

static Spans wholeOfBuffer(Value value) {
  return {{0, getByteSize(value.getType())}};
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Returns true if `argument` is defined when the program starts.  The host
/// writes the means of @count's outputs only after @count.  Before @first
/// nothing is pending, and @flush has no batch.  @eval gets no scalar but the
/// loss scale, @prefill and @decode only their own inputs; of a cache they read
/// what was put there.
bool Replay::isWritten(BlockArgument argument) {
  unsigned i = argument.getArgNumber();
  auto scalar = program.getScalar(i);
  if (scalar && scalar == kContext)
    return !isForward(name);
  if (name == "count")
    return !scalar || scalar == "lr" || scalar == "step";
  if (name == "first") {
    auto state = program.getState(i);
    return !(state && state.getSlot() == "grad") &&
           !(scalar && scalar == kClipFactor);
  }
  if (name == "eval")
    return !scalar || scalar == kLossScale;
  if (auto input = program.getInput(i); input && isDecoding(name)) {
    auto micro = program.getArgAttrOfType<IntegerAttr>(i, kMicroAttr);
    return (input == kBegin || input == kCount || input == kDocument ||
            input == (name == kPrefill ? kPrompt : kToken)) &&
           (!micro || micro.getInt() == 0);
  }
  if (isForward(name))
    return !scalar;
  return name != "flush" || !program.getInput(i);
}

void Replay::enterArguments() {
  for (BlockArgument argument : program.getArguments()) {
    if (!isInArena(argument))
      continue;
    BytesAttr range = ranges.lookup(argument);
    unsigned version = addVersion({});
    bytesOf(argument).overwrite(range.getOffset(), range.getEnd(), version);
    auto state = program.getState(argument.getArgNumber());
    Spans spans;
    if (isWritten(argument))
      spans = state
                  ? layouts.membersIn(state.getBucket().getValue(),
                                      argument.getType(), Portion::Whole, rank)
                  : wholeOfBuffer(argument);
    for (Span span : spans)
      values[argument].push_back({range.getOffset() + span.begin,
                                  range.getOffset() + span.end, version});
  }
}

/// Gives the results of an operation that only names bytes the versions of its
/// operands.
void Replay::takeOver(Operation *op) {
  for (const StorageTie &tie : getTies(op, symbols)) {
    Value result = op->getResult(tie.result);
    BytesAttr range = ranges.lookup(result);
    Pieces pieces = values.lookup(op->getOperand(tie.operand));
    for (Piece piece : pieces) {
      piece.begin = std::max(piece.begin, range.getOffset());
      piece.end = std::min(piece.end, range.getEnd());
      if (piece.begin < piece.end)
        values[result].push_back(piece);
    }
  }
  for (OpResult result : op->getResults())
    sortPieces(values[result]);
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

/// (V9) Fails unless all of `bytes` are defined in `value`.
LogicalResult Replay::judgeHeld(Operation *op, Value value,
                                const Spans &bytes) {
  BytesAttr range = ranges.lookup(value);
  const Pieces &pieces = values[value];
  for (Span span : bytes) {
    int64_t at = range.getOffset() + span.begin,
            end = range.getOffset() + span.end;
    for (const Piece *piece = findFrom(pieces, at); at < end; ++piece) {
      if (piece != pieces.end() && piece->begin <= at) {
        at = piece->end;
        continue;
      }
      if (piece != pieces.end())
        end = std::min(end, piece->begin);
      InFlightDiagnostic error = op->emitOpError("reads "); // (V9)
      error << describe(range.getTier(), at, end) << " of " << describe(value)
            << " on " << describe(where(int(getStream(op))))
            << ", which hold nothing there (V9): padding, another rank's "
               "slice, in @count a mean of its outputs, in @first what the "
               "step before would have left, in @flush a batch, or in @eval a "
               "scalar of updates; read members, or gather the value first";
      if (Operation *def = value.getDefiningOp())
        error.attachNote(def->getLoc())
            << "defined by '" << describe(def) << '\'';
      return error;
    }
  }
  return success();
}

/// Fails if the bytes of `value` were overwritten since its definition.
LogicalResult Replay::judgePresent(Operation *op, Value value,
                                   const Spans &bytes, StringRef rule) {
  BytesAttr range = ranges.lookup(value);
  return visitPieces(value, bytes, [&](Piece piece) -> LogicalResult {
    bytesOf(value).isolate(piece.begin, piece.end);
    for (auto &[begin, content] : bytesOf(value).in(piece.begin, piece.end)) {
      if (content.version == piece.version)
        continue;
      const Use &writer = writers[content.version];
      InFlightDiagnostic error = op->emitOpError("reads ");
      error << describe(range.getTier(), begin, content.end) << " of "
            << describe(value) << " on " << describe(where(int(getStream(op))))
            << ", which are overwritten by then (" << rule
            << "); give one of the two values other bytes";
      error.attachNote(writer.op->getLoc())
          << "overwritten by '" << describe(writer.op) << "' on "
          << describe(where(writer.stream));
      return error;
    }
    return success();
  });
}

/// Reports that nothing orders `op` after `use`, and where an event is missing.
InFlightDiagnostic Replay::unordered(Operation *op, const Twine &what,
                                     const Twine &bytes, const Use &use,
                                     StringRef past, StringRef rule) {
  int stream = int(getStream(op));
  unsigned known = order.at(op).over[use.stream];
  InFlightDiagnostic error = op->emitOpError();
  error << what << bytes << " on " << describe(where(stream))
        << ", but nothing orders it after their " << past << " on "
        << describe(where(use.stream)) << " (" << rule
        << "); record an event on " << stringifyStream(Stream(use.stream))
        << " and wait for it on " << stringifyStream(Stream(stream));
  Diagnostic &note = error.attachNote(use.op->getLoc());
  note << (past == "definition" ? "defined" : past)
       << (use.byPeers ? " in '" : " by '") << describe(use.op)
       << "', operation " << use.number << " of its stream; "
       << stringifyStream(Stream(stream)) << " has waited for ";
  if (known)
    note << "no more than operation " << known << " there";
  else
    note << "none there";
  return error;
}

LogicalResult Replay::readPieces(Operation *op, const ReadAccess &reading,
                                 std::shared_ptr<WholeReads> whole) {
  Value value = op->getOperand(reading.operand);
  if ((!reading.asItIs && failed(judgeHeld(op, value, reading.bytes))) ||
      failed(judgePresent(op, value, reading.bytes, "V1")))
    return failure();
  BytesAttr range = ranges.lookup(value);
  return visitPieces(value, reading.bytes, [&](Piece piece) -> LogicalResult {
    const Use &writer = writers[piece.version];
    if (!isOver(writer, op)) // (V1)
      return unordered(op, "reads ",
                       describe(range.getTier(), piece.begin, piece.end) +
                           " of " + describe(value),
                       writer, "definition", "V1");
    for (auto &[begin, content] : bytesOf(value).in(piece.begin, piece.end)) {
      if (whole)
        content.wholeReads.push_back(whole);
      else
        content.readers.add(useBy(op, reading.byPeers));
    }
    if (whole && writer.op)
      whole->writers.add(writer);
    return success();
  });
}

LogicalResult Replay::read(Operation *op, const ReadAccess &reading) {
  Value value = op->getOperand(reading.operand);
  bool isWhole = !reading.asItIs && reading.bytes.size() == 1 &&
                 reading.bytes[0].begin == 0 &&
                 reading.bytes[0].end == getByteSize(value.getType());
  if (!isWhole || values[value].size() < 2)
    return readPieces(op, reading, nullptr);
  // A value that was found whole stays whole until one of its runs is
  // overwritten.
  std::shared_ptr<WholeReads> &reads = wholeReads[value];
  if (!reads || !reads->isIntact ||
      !llvm::all_of(reads->writers,
                    [&](const Use &writer) { return isOver(writer, op); })) {
    auto found = std::make_shared<WholeReads>();
    if (failed(readPieces(op, reading, found)))
      return failure();
    reads = found;
  }
  reads->readers.add(useBy(op, reading.byPeers));
  return success();
}

//===----------------------------------------------------------------------===//
// Writes
//===----------------------------------------------------------------------===//

LogicalResult Replay::judgeAfter(Operation *op, OpResult result, const Use &use,
                                 bool wrote, Span bytes) {
  if (isOver(use, op))
    return success();
  BytesAttr range = ranges.lookup(result);
  return unordered(op, "writes " + describe(result) + " to ", // (V2), (V5)
                   describe(range.getTier(), bytes.begin, bytes.end), use,
                   wrote         ? "earlier write"
                   : use.byPeers ? "earlier read by peers"
                                 : "earlier read",
                   use.byPeers ? "V5" : "V2");
}

LogicalResult Replay::write(Operation *op, const WriteAccess &writing) {
  OpResult result = op->getResult(writing.result);
  BytesAttr range = ranges.lookup(result);
  ByteMap &bytes = bytesOf(result);
  unsigned version = addVersion(useBy(op));
  Pieces kept;
  if (!writing.kept.empty())
    (void)visitPieces(op->getOperand(writing.keptOperand), writing.kept,
                      [&](Piece piece) {
                        kept.push_back(piece);
                        return success();
                      });
  for (Span span : writing.written) {
    int64_t first = range.getOffset() + span.begin,
            last = range.getOffset() + span.end;
    bytes.isolate(first, last);
    for (auto &[begin, content] : bytes.in(first, last)) {
      if (failed(judgeAfter(op, result, writers[content.version],
                            /*wrote=*/true, {begin, content.end})))
        return failure();
      auto judgeReaders = [&](const LastUses &readers) {
        return success(llvm::all_of(readers, [&](const Use &reader) {
          return reader.op == op ||
                 succeeded(judgeAfter(op, result, reader, /*wrote=*/false,
                                      {begin, content.end}));
        }));
      };
      if (failed(judgeReaders(content.readers)))
        return failure();
      for (auto &reads : content.wholeReads)
        if (failed(judgeReaders(reads->readers)))
          return failure();
    }
    bytes.overwrite(first, last, version);
  }
  Pieces &pieces = values[result];
  pieces = std::move(kept);
  for (Span span : writing.defined)
    pieces.push_back({range.getOffset() + span.begin,
                      range.getOffset() + span.end, version});
  sortPieces(pieces);
  return success();
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

LogicalResult Replay::execute(Operation *op) {
  Accesses accesses = findAccesses(op, layouts, rank);
  for (const ReadAccess &reading : accesses.reads)
    if (failed(read(op, reading)))
      return failure();
  for (WriteAccess &writing : accesses.writes) {
    if (auto copy = dyn_cast<CopyOp>(op)) {
      int64_t base = ranges.lookup(copy.getSource()).getOffset();
      for (const Piece &piece : values[copy.getSource()])
        writing.defined.push_back({piece.begin - base, piece.end - base});
    }
    if (failed(write(op, writing)))
      return failure();
  }
  return success();
}

/// Checks the values that outlive the program: the host reads the outputs, and
/// the next program reads the state.
LogicalResult Replay::finish(Operation *op) {
  SmallVector<NextState> states = findNextStates(program);
  for (auto &[argument, state, value] : states) {
    if (!value) // (V6)
      return op->emitOpError("returns no next value of ")
             << describe(argument) << " (V6)";
    BytesAttr range = ranges.lookup(value);
    if (range != ranges.lookup(argument)) // (V6)
      return op->emitOpError("returns ")
             << describe(value) << " at " << describe(range)
             << " as the next value of " << describe(argument) << " at "
             << describe(ranges.lookup(argument))
             << " (V6); a next value ends in the bytes of its state";
    Spans members = layouts.membersIn(state.getBucket().getValue(),
                                      argument.getType(), Portion::Whole, rank);
    if (failed(judgeHeld(op, value, members)) ||
        failed(judgePresent(op, value, members, "V6")))
      return failure();
  }
  SmallVector<NextCache> caches = findNextCaches(program);
  for (auto &[argument, cache, value] : caches) {
    if (!value || ranges.lookup(value) != ranges.lookup(argument)) // (V6)
      return op->emitOpError("returns no next value of the cache ")
             << cache << " in its bytes (V6)";
    if (failed(judgeHeld(op, value, wholeOfBuffer(value))) ||
        failed(judgePresent(op, value, wholeOfBuffer(value), "V6")))
      return failure();
  }
  for (Value output :
       op->getOperands().drop_front(states.size() + caches.size()))
    if (isInArena(output) &&
        (failed(judgeHeld(op, output, wholeOfBuffer(output))) ||
         failed(judgePresent(op, output, wholeOfBuffer(output), "V1"))))
      return failure();
  return success();
}

LogicalResult Replay::run() {
  enterArguments();
  for (Operation &op : program.front()) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      return finish(&op);
    if (has(&op, Fact::OrdersStreams))
      continue;
    if (namesBytes(&op))
      takeOver(&op);
    else if (failed(execute(&op)))
      return failure();
  }
  return success();
}

LogicalResult judge::replay(ProgramOp program, StringRef name, int64_t rank,
                            const Ranges &ranges, const HappensBefore &order,
                            const BucketLayouts &layouts) {
  return Replay(program, name, rank, ranges, order, layouts).run();
}
