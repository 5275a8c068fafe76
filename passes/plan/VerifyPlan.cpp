//===- VerifyPlan.cpp - Judge a finished plan -----------------------------===//
//
// Reads streams, events and byte ranges, and nothing that the planning passes
// concluded; it shares no code with them.
//
// The judge replays the step in program order.  Each byte of each tier holds a
// version: a number that every write renews.  A value is the versions of its
// bytes when it was defined; a view or a pack defines nothing, it takes over
// the versions of its operands, without padding.
//
//   (V1)  a use finds the versions of its value, and comes after whoever wrote
//         them: on the same stream, or by an event.
//   (V2)  a write comes after every earlier read and write of its bytes.
//   (S1)  a value has the bytes that its type needs, inside the arena, and
//         arguments do not overlap.
//   (S2)  a view lies in its operand, packed operands in the pack, and what
//         must replace an operand has its bytes.
//   (S3)  results overlap neither each other nor an operand, unless they may
//         replace it.
//   (S4)  what peers read lies in the exported bytes, whole pages at the end of
//         the arena.
//   (S5)  a plan is made of operations that the runtime knows.
//   (V6)  next state ends in the bytes of the state, and is still there; all
//         programs keep state, inputs, scalars and outputs in the same bytes.
//   (V7)  an operation computes on bytes of the device.
//   (V10) a wait's event is recorded before it.
//   (V11) what ranks must agree on is equal on all (VerifyAgreement.cpp).
//
// "Comes after" is judged by vector clocks: for each stream, how many
// operations of every other stream are known to be over when its next one
// starts.  Since a write must come after all earlier uses (V2), only the last
// writer and the last reader per stream since then are kept for each byte.
//
// A collective uses its operands on every rank, and is over when the last rank
// has read them: for the bytes of one rank it is an operation like any other.
// In place, peers read the rank's own slice and the rank writes the others, or
// the other way round.
//
// Each program starts after, and ends with, a join of all streams.  The judge
// stops at the first offence.
//
//===----------------------------------------------------------------------===//

#include "dialect/nn/NN.h"
#include "dialect/zero/Storage.h"
#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/plan/Passes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <map>

namespace mlir::zero {
#define GEN_PASS_DEF_VERIFYPLAN
#include "passes/plan/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

namespace {

constexpr int kStreams = 8, kTiers = 3;

struct Clock {
  unsigned over[kStreams] = {};
};

/// A use of bytes by an operation: its number on its stream.
struct Use {
  Operation *op = nullptr;
  Stream stream = Stream::Compute;
  unsigned number = 0;
};

/// Bytes [begin, end) of one version.
struct Piece {
  int64_t begin, end;
  unsigned version;
};

/// What a run of bytes holds, and who has read it.
struct Content {
  int64_t end;
  unsigned version;
  SmallVector<Use, 1> readers;
};

/// The bytes of one tier; runs are keyed by where they begin, and do not
/// overlap.
class Bytes {
public:
  /// Splits runs so that [begin, end) is made of whole ones.
  void isolate(int64_t begin, int64_t end) {
    for (int64_t at : {begin, end}) {
      auto next = runs.upper_bound(at);
      if (next == runs.begin())
        continue;
      auto run = std::prev(next);
      if (run->first < at && at < run->second.end) {
        runs.emplace(at, run->second);
        run->second.end = at;
      }
    }
  }
  void overwrite(int64_t begin, int64_t end, unsigned version) {
    runs.erase(runs.lower_bound(begin), runs.lower_bound(end));
    if (begin < end)
      runs[begin] = {end, version, {}};
  }
  auto in(int64_t begin, int64_t end) {
    return llvm::make_range(runs.lower_bound(begin), runs.lower_bound(end));
  }

private:
  std::map<int64_t, Content> runs;
};

class Judge {
public:
  Judge(func::FuncOp step, ArrayRef<int64_t> arena, int64_t exported)
      : step(step), arena(arena), exported(exported) {}
  LogicalResult run();

private:
  LogicalResult judgeArguments();
  LogicalResult judgeOperation(Operation *op);
  LogicalResult judgeWait(WaitOp wait);
  LogicalResult judgeRange(Operation *op, Value value, Attribute attribute);
  LogicalResult judgeTies(Operation *op, ArrayRef<StorageTie> ties);
  LogicalResult judgeOverlaps(Operation *op, ArrayRef<StorageTie> ties);
  LogicalResult judgeCollective(Operation *op);
  LogicalResult judgeRead(Operation *op, Value value);
  LogicalResult judgeWrite(Operation *op, OpResult result);
  LogicalResult judgeReturn(Operation *op);
  LogicalResult judgePresent(Operation *op, Value value, StringRef rule);
  void takeOver(Operation *op, ArrayRef<StorageTie> ties);

  bool isOver(const Use &use, Stream on) const {
    return !use.op || use.stream == on ||
           clocks[int(on)].over[int(use.stream)] >= use.number;
  }
  Bytes &bytesOf(BytesAttr range) { return tiers[int(range.getTier())]; }
  unsigned addVersion(Use writer) {
    writers.push_back(writer);
    return writers.size() - 1;
  }

  func::FuncOp step;
  ArrayRef<int64_t> arena;
  int64_t exported;
  Bytes tiers[kTiers];
  Clock clocks[kStreams];
  std::vector<Use> writers; // by version; those of arguments have no operation
  DenseMap<Value, Clock> events;
  DenseMap<Value, BytesAttr> ranges;
  DenseMap<Value, SmallVector<Piece>> values;
};

struct VerifyPlan : zero::impl::VerifyPlanBase<VerifyPlan> {
  void runOnOperation() override {
    if (failed(verifyPlan(getOperation())))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Words for messages
//===----------------------------------------------------------------------===//

static bool isBytes(Value value) {
  return isa<ShardType, RankedTensorType>(value.getType());
}

static std::string describe(Value value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto step = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    unsigned i = argument.getArgNumber();
    if (auto state = step.getArgAttrOfType<StateAttr>(i, kStateAttr))
      os << "state " << state.getBucket() << ' ' << state.getSlot();
    else
      os << "argument " << i;
  } else if (auto name = value.getLoc()->findInstanceOf<NameLoc>()) {
    os << '\'' << name.getName().getValue() << '\'';
  } else {
    os << "a result of '" << value.getDefiningOp()->getName() << '\'';
  }
  return text;
}

static std::string describe(Tier tier, int64_t begin, int64_t end) {
  return (stringifyTier(tier) + " bytes [" + Twine(begin) + ", " + Twine(end) +
          ")")
      .str();
}

static std::string describe(BytesAttr range) {
  return describe(range.getTier(), range.getOffset(), range.getEnd());
}

//===----------------------------------------------------------------------===//
// Ranges and ties
//===----------------------------------------------------------------------===//

LogicalResult Judge::judgeRange(Operation *op, Value value,
                                Attribute attribute) {
  auto range = dyn_cast_or_null<BytesAttr>(attribute);
  if (!range)
    return op->emitOpError("gives no bytes to ") << describe(value) << " (S1)";
  int64_t size = getByteSize(value.getType());
  if (range.getSize() != size) // (S1)
    return op->emitOpError("gives ")
           << range.getSize() << " bytes to " << describe(value)
           << ", which has " << size << " (S1)";
  int64_t limit = arena[int(range.getTier())];
  if (range.getEnd() > limit) // (S1)
    return op->emitOpError("puts ")
           << describe(value) << " at " << describe(range)
           << ", outside of the arena of " << limit << " bytes (S1)";
  ranges[value] = range;
  return success();
}

LogicalResult Judge::judgeTies(Operation *op, ArrayRef<StorageTie> ties) {
  for (const StorageTie &tie : ties) {
    Value operand = op->getOperand(tie.operand),
          result = op->getResult(tie.result);
    BytesAttr in = ranges.lookup(operand), out = ranges.lookup(result);
    bool holds = in.getTier() == out.getTier();
    switch (tie.kind) {
    case StorageTie::ResultInOperand:
      holds &= out.getOffset() == in.getOffset() + tie.offset &&
               out.getEnd() <= in.getEnd();
      break;
    case StorageTie::OperandInResult:
      holds &= in.getOffset() == out.getOffset() + tie.offset &&
               in.getEnd() <= out.getEnd();
      break;
    case StorageTie::MustReplace:
      holds &= in == out;
      break;
    case StorageTie::MayReplace:
      holds = !in.overlaps(out) || in == out;
      break;
    }
    if (!holds) // (S2)
      return op->emitOpError("ties ")
             << describe(result) << " to " << describe(operand) << " at offset "
             << tie.offset << ", but they lie at " << describe(out) << " and "
             << describe(in) << " (S2)";
  }
  return success();
}

LogicalResult Judge::judgeOverlaps(Operation *op, ArrayRef<StorageTie> ties) {
  for (OpResult result : op->getResults()) {
    if (!isBytes(result))
      continue;
    BytesAttr mine = ranges.lookup(result);
    for (OpResult other :
         op->getResults().drop_front(result.getResultNumber() + 1))
      if (isBytes(other) && mine.overlaps(ranges.lookup(other))) // (S3)
        return op->emitOpError("has results ")
               << result.getResultNumber() << " and " << other.getResultNumber()
               << " that overlap, at " << describe(mine) << " and "
               << describe(ranges.lookup(other)) << " (S3)";
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isBytes(operand.get()) ||
          !mine.overlaps(ranges.lookup(operand.get())))
        continue;
      bool tied = llvm::any_of(ties, [&](const StorageTie &tie) {
        return tie.result == result.getResultNumber() &&
               tie.operand == operand.getOperandNumber();
      });
      if (!tied) // (S3)
        return op->emitOpError("writes result ")
               << result.getResultNumber() << " at " << describe(mine)
               << " over operand " << operand.getOperandNumber() << ", "
               << describe(operand.get()) << " at "
               << describe(ranges.lookup(operand.get()))
               << ", which it may not replace (S3); give the result bytes of "
                  "its own";
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Reads and writes
//===----------------------------------------------------------------------===//

/// Fails unless the bytes of `value` still are what it was defined as.
LogicalResult Judge::judgePresent(Operation *op, Value value, StringRef rule) {
  BytesAttr range = ranges.lookup(value);
  for (const Piece &piece : values[value]) {
    bytesOf(range).isolate(piece.begin, piece.end);
    for (auto &[begin, content] : bytesOf(range).in(piece.begin, piece.end)) {
      if (content.version == piece.version)
        continue;
      const Use &writer = writers[content.version];
      InFlightDiagnostic error =
          op->emitOpError("reads ")
          << describe(range.getTier(), begin, content.end) << " of "
          << describe(value) << " on stream " << stringifyStream(getStream(op))
          << ", which are overwritten by then (" << rule
          << "); give one of the two values other bytes";
      error.attachNote(writer.op->getLoc())
          << "overwritten by '" << writer.op->getName() << "' on stream "
          << stringifyStream(writer.stream);
      return error;
    }
  }
  return success();
}

LogicalResult Judge::judgeCollective(Operation *op) {
  for (unsigned i : getExportedOperands(op)) {
    BytesAttr range = ranges.lookup(op->getOperand(i));
    if (range.getOffset() < exported) // (S4)
      return op->emitOpError("lets peers read ")
             << describe(op->getOperand(i)) << " at " << describe(range)
             << ", but only bytes from " << exported << " on are exported (S4)";
  }
  return success();
}

LogicalResult Judge::judgeRead(Operation *op, Value value) {
  if (failed(judgePresent(op, value, "V1")))
    return failure();
  Stream stream = getStream(op);
  Use self{op, stream, clocks[int(stream)].over[int(stream)] + 1};
  BytesAttr range = ranges.lookup(value);
  for (const Piece &piece : values[value]) {
    const Use &writer = writers[piece.version];
    if (!isOver(writer, stream)) { // (V1)
      InFlightDiagnostic error =
          op->emitOpError("reads ")
          << describe(range.getTier(), piece.begin, piece.end) << " of "
          << describe(value) << " on stream " << stringifyStream(stream)
          << ", but nothing orders it after their definition on stream "
          << stringifyStream(writer.stream) << " (V1); record an event on "
          << stringifyStream(writer.stream) << " and wait for it on "
          << stringifyStream(stream);
      error.attachNote(writer.op->getLoc())
          << "defined by '" << writer.op->getName() << '\'';
      return error;
    }
    for (auto &[begin, content] : bytesOf(range).in(piece.begin, piece.end)) {
      llvm::erase_if(content.readers,
                     [&](const Use &use) { return use.stream == stream; });
      content.readers.push_back(self);
    }
  }
  return success();
}

LogicalResult Judge::judgeWrite(Operation *op, OpResult result) {
  Stream stream = getStream(op);
  BytesAttr range = ranges.lookup(result);
  auto judgeAfter = [&](const Use &use, StringRef what, int64_t begin,
                        int64_t end) -> LogicalResult {
    if (isOver(use, stream))
      return success();
    InFlightDiagnostic error = // (V2)
        op->emitOpError("writes ")
        << describe(result) << " to " << describe(range.getTier(), begin, end)
        << " on stream " << stringifyStream(stream)
        << ", but nothing orders it after their earlier " << what
        << " on stream " << stringifyStream(use.stream)
        << " (V2); record an event on " << stringifyStream(use.stream)
        << " and wait for it on " << stringifyStream(stream);
    error.attachNote(use.op->getLoc())
        << "earlier " << what << " by '" << use.op->getName() << '\'';
    return error;
  };
  Bytes &bytes = bytesOf(range);
  bytes.isolate(range.getOffset(), range.getEnd());
  for (auto &[begin, content] : bytes.in(range.getOffset(), range.getEnd())) {
    if (failed(
            judgeAfter(writers[content.version], "write", begin, content.end)))
      return failure();
    for (const Use &reader : content.readers)
      if (failed(judgeAfter(reader, "read", begin, content.end)))
        return failure();
  }
  unsigned version =
      addVersion({op, stream, clocks[int(stream)].over[int(stream)] + 1});
  bytes.overwrite(range.getOffset(), range.getEnd(), version);
  values[result] = {{range.getOffset(), range.getEnd(), version}};
  return success();
}

/// The results of an operation that only names bytes.
void Judge::takeOver(Operation *op, ArrayRef<StorageTie> ties) {
  for (const StorageTie &tie : ties) {
    Value result = op->getResult(tie.result);
    BytesAttr range = ranges.lookup(result);
    SmallVector<Piece> pieces = values.lookup(op->getOperand(tie.operand));
    for (Piece piece : pieces) {
      piece.begin = std::max(piece.begin, range.getOffset());
      piece.end = std::min(piece.end, range.getEnd());
      if (piece.begin < piece.end)
        values[result].push_back(piece);
    }
  }
}

//===----------------------------------------------------------------------===//
// The step
//===----------------------------------------------------------------------===//

LogicalResult Judge::judgeArguments() {
  for (BlockArgument argument : step.getArguments()) {
    if (!isBytes(argument))
      continue;
    if (failed(
            judgeRange(step, argument,
                       step.getArgAttr(argument.getArgNumber(), kBytesAttr))))
      return failure();
    BytesAttr range = ranges.lookup(argument);
    Bytes &bytes = bytesOf(range);
    bytes.isolate(range.getOffset(), range.getEnd());
    if (range.getSize() &&
        !bytes.in(range.getOffset(), range.getEnd()).empty()) // (S1)
      return step->emitOpError("puts ")
             << describe(argument) << " at " << describe(range)
             << ", over another argument (S1)";
    unsigned version = addVersion({});
    bytes.overwrite(range.getOffset(), range.getEnd(), version);
    values[argument] = {{range.getOffset(), range.getEnd(), version}};
  }
  return success();
}

LogicalResult Judge::judgeWait(WaitOp wait) {
  auto record = wait.getEvent().getDefiningOp<RecordOp>();
  if (!record || !events.contains(record.getEvent())) // (V10)
    return wait.emitOpError("on stream ")
           << stringifyStream(wait.getOn())
           << " waits for an event that no earlier operation of the step "
              "records (V10)";
  Clock &clock = clocks[int(wait.getOn())];
  const Clock &event = events[record.getEvent()];
  for (int i = 0; i != kStreams; ++i)
    clock.over[i] = std::max(clock.over[i], event.over[i]);
  return success();
}

LogicalResult Judge::judgeReturn(Operation *op) {
  unsigned next = 0;
  for (BlockArgument argument : step.getArguments()) {
    if (!step.getArgAttr(argument.getArgNumber(), kStateAttr))
      continue;
    if (next == op->getNumOperands()) // (V6)
      return op->emitOpError("returns no next value of ")
             << describe(argument) << " (V6)";
    Value value = op->getOperand(next++);
    BytesAttr range = ranges.lookup(value);
    if (range != ranges.lookup(argument)) // (V6)
      return op->emitOpError("returns ")
             << describe(value) << " at " << describe(range)
             << " as the next value of " << describe(argument) << " at "
             << describe(ranges.lookup(argument))
             << " (V6); a next value ends in the bytes of its state";
    if (failed(judgePresent(op, value, "V6")))
      return failure();
  }
  for (Value output : op->getOperands().drop_front(next))
    if (failed(judgePresent(op, output, "V1")))
      return failure();
  return success();
}

LogicalResult Judge::judgeOperation(Operation *op) {
  if (op->getNumRegions())
    return op->emitOpError("has a region; a plan is a straight line");
  if (auto wait = dyn_cast<WaitOp>(op))
    return judgeWait(wait);
  if (auto record = dyn_cast<RecordOp>(op)) {
    events[record.getEvent()] = clocks[int(record.getOn())];
    return success();
  }
  if (op->hasTrait<OpTrait::IsTerminator>())
    return judgeReturn(op);
  if (!isa<ZeroDialect>(op->getDialect()) && !movesNothing(op) &&
      !isa<nn::MatmulOp>(op)) // (S5)
    return op->emitOpError("is no operation of a plan (S5); put it into a "
                           "kernel");

  auto attribute = op->getAttrOfType<ArrayAttr>(kBytesAttr);
  for (OpResult result : op->getResults()) {
    unsigned i = result.getResultNumber();
    if (isBytes(result) &&
        failed(judgeRange(op, result,
                          attribute && i < attribute.size() ? attribute[i]
                                                            : Attribute())))
      return failure();
  }
  SmallVector<StorageTie> ties = getStorageTies(op);
  if (failed(judgeTies(op, ties)))
    return failure();
  if (movesNothing(op)) {
    takeOver(op, ties);
    return success();
  }

  SmallVector<Value> touched(op->getOperands());
  llvm::append_range(touched, op->getResults());
  for (Value value : touched)
    if (isBytes(value) &&
        ranges.lookup(value).getTier() != Tier::Device) // (V7)
      return op->emitOpError("computes on ")
             << describe(ranges.lookup(value)) << " of " << describe(value)
             << " (V7); it computes on device bytes, fetch the value first";
  if (failed(judgeOverlaps(op, ties)) ||
      (isCollective(op) && failed(judgeCollective(op))))
    return failure();
  for (Value operand : op->getOperands())
    if (isBytes(operand) && failed(judgeRead(op, operand)))
      return failure();
  for (OpResult result : op->getResults())
    if (isBytes(result) && failed(judgeWrite(op, result)))
      return failure();
  int stream = int(getStream(op));
  ++clocks[stream].over[stream];
  return success();
}

LogicalResult Judge::run() {
  if (failed(judgeArguments()))
    return failure();
  for (Operation &op : step.front())
    if (failed(judgeOperation(&op)))
      return failure();
  return success();
}

/// Fails unless `program` keeps its arguments where `step` does.
static LogicalResult judgeArgumentsAgree(func::FuncOp program,
                                         func::FuncOp step) {
  if (program.getArgumentTypes() != step.getArgumentTypes()) // (V6)
    return program.emitOpError("takes other arguments than @step (V6); "
                               "programs of a step share state, "
                               "inputs and scalars");
  for (unsigned i = 0, e = step.getNumArguments(); i != e; ++i)
    for (StringRef name : {kBytesAttr, kStateAttr, kInputAttr, kScalarAttr})
      if (program.getArgAttr(i, name) != step.getArgAttr(i, name)) // (V6)
        return program.emitOpError("has ")
               << name << " = " << program.getArgAttr(i, name)
               << " for argument " << i << ", and @step has "
               << step.getArgAttr(i, name) << " (V6)";
  return success();
}

/// An output of several programs is one value to the host.
static LogicalResult
judgeOutputsAgree(func::FuncOp program,
                  llvm::StringMap<std::pair<Type, Attribute>> &outputs) {
  for (OpOperand &value : program.front().getTerminator()->getOpOperands()) {
    unsigned i = value.getOperandNumber();
    auto name = program.getResultAttrOfType<StringAttr>(i, kOutputAttr);
    Operation *def = value.get().getDefiningOp();
    auto bytes = def ? def->getAttrOfType<ArrayAttr>(kBytesAttr) : ArrayAttr();
    if (!name || !bytes)
      continue;
    std::pair<Type, Attribute> mine = {
        value.get().getType(),
        bytes[cast<OpResult>(value.get()).getResultNumber()]};
    auto [known, isNew] = outputs.try_emplace(name, mine);
    if (!isNew && known->second != mine) // (V6)
      return program.emitOpError("has output ")
             << name << " of " << mine.first << " at " << mine.second
             << ", and another program of " << known->second.first << " at "
             << known->second.second << " (V6)";
  }
  return success();
}

/// The programs that a step of so many micro-steps needs are there.
static LogicalResult judgePrograms(ModuleOp module, func::FuncOp step) {
  auto steps = module->getAttrOfType<IntegerAttr>(kMicroStepsAttr);
  bool several = steps && steps.getInt() > 1;
  if (several != (module.lookupSymbol("micro") != nullptr)) // (S5)
    return module.emitError("has ")
           << (several ? "no @micro" : "@micro") << ", but a step of "
           << (steps ? steps.getInt() : 1) << " micro-steps (S5)";
  llvm::StringSet<> counted;
  if (auto count = module.lookupSymbol<func::FuncOp>("count"))
    for (unsigned i = 0, e = count.getNumResults(); i != e; ++i)
      if (auto name = count.getResultAttrOfType<StringAttr>(i, kOutputAttr))
        counted.insert(name);
  for (unsigned i = 0, e = step.getNumArguments(); i != e; ++i)
    if (auto name = step.getArgAttrOfType<StringAttr>(i, kScalarAttr))
      if (name.getValue().starts_with("count") && !counted.contains(name)) // (S5)
        return step.emitOpError("reads ")
               << name << ", which no output of @count is called (S5)";
  return success();
}

LogicalResult zero::verifyPlan(ModuleOp module) {
  auto step = module.lookupSymbol<func::FuncOp>("step");
  if (!step || step.isExternal())
    return module.emitError(
        "a plan has a function @step of one block; this module has none");
  auto arena = module->getAttrOfType<DenseI64ArrayAttr>(kArenaAttr);
  if (!arena || arena.size() != kTiers)
    return module.emitError(
        "a plan has zero.arena, the bytes of the device, host and nvme arena; "
        "run zero-assign-memory first");
  auto axis = module.lookupSymbol<AxisOp>("dp");
  // Without the attribute nothing is exported.
  auto exported = module->getAttrOfType<IntegerAttr>(kExportedAttr);
  int64_t begin = exported ? exported.getInt() : arena[0];
  if (begin < 0 || begin > arena[0] || (begin % 4096 && begin != arena[0]))
    return module.emitError("exports its device arena of ") // (S4)
           << arena[0] << " bytes from byte " << begin
           << " on, which is no page of it (S4)";
  if (failed(judgePrograms(module, step)))
    return failure();
  llvm::StringMap<std::pair<Type, Attribute>> outputs;
  for (StringRef name : kPrograms) {
    auto program = module.lookupSymbol<func::FuncOp>(name);
    if (!program || program.isExternal())
      continue;
    if (!program.getBody().hasOneBlock())
      return program.emitOpError("has ")
             << program.getBody().getBlocks().size()
             << " blocks; a plan is a straight line";
    if (failed(judgeArgumentsAgree(program, step)) ||
        failed(verifyAgreement(program, axis ? axis.getSize() : 1)) ||
        failed(judgeOutputsAgree(program, outputs)) ||
        failed(Judge(program, arena.asArrayRef(), begin).run()))
      return failure();
  }
  return success();
}
