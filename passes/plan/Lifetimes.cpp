//===- Lifetimes.cpp - Buffers and their lifetimes ------------------------===//
//
// One walk in program order gives every value a place:
//
//   result in operand   the operand's buffer            (view, reshape)
//   operand in result   the operand's buffer becomes a part of the result's,
//                       if the operand is all of it     (flatten, join); or the
//                       result a part of the operand's  (pack of some rows, and
//                       of operands that are in place already, as in a sum)
//   must replace        the operand's buffer, if nothing reads the old bytes
//                       any more                        (update, accumulation)
//   otherwise           a buffer of its own
//
// If the condition does not hold, the operand is added to the list of copies,
// and the walk continues as if it had been copied.  A second walk lets kernels
// work in place: a result that may replace an operand takes over its buffer if
// the buffer dies there, has the same size, and holds no other operand.
//
// Joined buffers form a union-find forest with an offset on each edge.  Each
// buffer lists the values that are still readable in it; an overwrite drops
// those that it destroys, so the lists stay short and the walk linear in
// practice.
//
//===----------------------------------------------------------------------===//

#include "passes/plan/Lifetimes.h"

#include "dialect/zero/BytesText.h"
#include "dialect/zero/Locations.h"
#include "dialect/zero/PlanPrograms.h"
#include "dialect/zero/Storage.h"
#include "passes/plan/TransfersAhead.h"

using namespace mlir;
using namespace mlir::zero;

/// Fails unless `program` is straight-line code: one block, no nested regions.
static LogicalResult checkStraight(ProgramOp program) {
  if (!program.getBody().hasOneBlock())
    return program.emitOpError("has ")
           << program.getBody().getBlocks().size()
           << " blocks; a step is a straight line, one block";
  for (Operation &op : program.front())
    if (op.getNumRegions() != 0)
      return op.emitOpError("has a region; a step is a straight line, put "
                            "control flow into a kernel");
  return success();
}

SmallVector<ProgramOp> zero::getPrograms(ModuleOp module) {
  SmallVector<ProgramOp> programs = findPrograms(module);
  for (ProgramOp program : programs)
    if (failed(checkStraight(program)))
      return {};
  if (!findMainProgram(module)) {
    module.emitError(
        "the module has no program @step or @prefill with a body; a plan "
        "starts from the partitioned level");
    return {};
  }
  return programs;
}

std::string zero::getValueName(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (auto step = dyn_cast<ProgramOp>(argument.getOwner()->getParentOp())) {
      unsigned i = argument.getArgNumber();
      if (StateAttr state = step.getState(i))
        return ("@" + state.getBucket().getValue() + " \"" +
                state.getSlot().getValue() + "\"")
            .str();
      for (StringRef attribute : {kInputAttr, kScalarAttr, kCacheAttr})
        if (auto name = step.getArgAttrOfType<StringAttr>(i, attribute))
          return name.str();
    }
    return "argument " + std::to_string(argument.getArgNumber());
  }
  if (crossesTiers(value.getDefiningOp()))
    return getValueName(value.getDefiningOp()->getOperand(0)) + ", on the " +
           stringifyTier(getTier(value.getType())).str();
  if (auto flatten = value.getDefiningOp<FlattenOp>())
    return ("gradients of @" + flatten.getBucket()).str();
  if (std::string name = describeLocation(value.getLoc()); !name.empty())
    return name;
  if (auto launch = value.getDefiningOp<LaunchOp>())
    return ("zero.launch @" + launch.getKernel()).str();
  return value.getDefiningOp()->getName().getStringRef().str();
}

namespace {

/// A readable value of a buffer.
struct Held {
  int64_t begin, end;
  unsigned lastUse;
  Value value;
};

class LifetimeAnalysis {
public:
  LifetimeAnalysis(ProgramOp step, bool asAssigned)
      : step(step), asAssigned(asAssigned) {}
  FailureOr<Storage> run();

private:
  void placeArguments();
  LogicalResult place(Operation *op, unsigned point);
  std::optional<Place> findAround(ArrayRef<StorageTie> all, OpResult result);
  void pack(OpOperand &operand, const StorageTie &tie, OpResult result);
  LogicalResult replace(OpOperand &operand, OpResult result, unsigned point);
  LogicalResult finish(Operation *terminator, unsigned point);
  void outliveCollectives();
  void workInPlace(Operation *op, unsigned point);
  void compact();

  unsigned create(Value value, unsigned point);
  void hold(Value value, unsigned buffer, int64_t offset, unsigned point);
  Place find(Value value);
  void join(unsigned inner, unsigned outer, int64_t offset);
  bool isAllOf(Value value);
  bool isSum(unsigned buffer);
  unsigned getLastUse(Value value);

  ProgramOp step;
  bool asAssigned;
  Storage storage;
  DenseMap<Operation *, unsigned> points;
  DenseMap<Operation *, SmallVector<StorageTie>> ties;
  SymbolTableCollection symbols;
  // The forest: each buffer's outer buffer, and the offset in it.  A root is
  // its own outer buffer.
  std::vector<Place> outer;
  std::vector<SmallVector<Held, 2>> held;
};

} // namespace

//===----------------------------------------------------------------------===//
// The forest
//===----------------------------------------------------------------------===//

unsigned LifetimeAnalysis::getLastUse(Value value) {
  unsigned last = 0;
  for (Operation *user : value.getUsers())
    last = std::max(last, points.lookup(user));
  return last;
}

unsigned LifetimeAnalysis::create(Value value, unsigned point) {
  unsigned index = storage.buffers.size();
  Buffer &buffer = storage.buffers.emplace_back();
  buffer.tier = getTier(value.getType());
  buffer.size = getByteSize(value.getType());
  buffer.birth = point;
  buffer.name = value;
  outer.push_back({index, 0});
  held.emplace_back();
  hold(value, index, 0, point);
  return index;
}

void LifetimeAnalysis::hold(Value value, unsigned index, int64_t offset,
                            unsigned point) {
  Buffer &buffer = storage.buffers[index];
  unsigned lastUse = std::max(point, getLastUse(value));
  buffer.death = std::max(buffer.death, lastUse);
  buffer.lastDefinition = std::max(buffer.lastDefinition, point);
  storage.places[value] = {index, offset};
  held[index].push_back(
      {offset, offset + getByteSize(value.getType()), lastUse, value});
}

/// The root buffer that holds `value`, and the offset in it; shortens the path.
Place LifetimeAnalysis::find(Value value) {
  Place &place = storage.places.find(value)->second;
  while (outer[place.buffer].buffer != place.buffer)
    place = {outer[place.buffer].buffer,
             place.offset + outer[place.buffer].offset};
  return place;
}

void LifetimeAnalysis::join(unsigned inner, unsigned into, int64_t offset) {
  outer[inner] = {into, offset};
  Buffer &to = storage.buffers[into], &from = storage.buffers[inner];
  to.birth = std::min(to.birth, from.birth);
  to.death = std::max(to.death, from.death);
  to.lastDefinition = std::max(to.lastDefinition, from.lastDefinition);
  to.use = std::max(to.use, from.use);
  to.exported |= from.exported;
  for (const Held &value : held[inner])
    held[into].push_back(
        {value.begin + offset, value.end + offset, value.lastUse, value.value});
  held[inner].clear();
}

/// Returns true if `value` fills its buffer, which is a temporary.
bool LifetimeAnalysis::isAllOf(Value value) {
  Place place = find(value);
  const Buffer &buffer = storage.buffers[place.buffer];
  return buffer.role == Buffer::Temporary && place.offset == 0 &&
         buffer.size == getByteSize(value.getType());
}

//===----------------------------------------------------------------------===//
// Ties that must hold
//===----------------------------------------------------------------------===//

void LifetimeAnalysis::placeArguments() {
  for (BlockArgument argument : step.getArguments()) {
    if (!holdsBytes(argument.getType()))
      continue;
    Buffer &buffer = storage.buffers[create(argument, /*point=*/0)];
    unsigned i = argument.getArgNumber();
    buffer.role = step.getArgAttr(i, kStateAttr)   ? Buffer::State
                  : step.getArgAttr(i, kInputAttr) ? Buffer::Input
                  : step.getArgAttr(i, kCacheAttr) ? Buffer::Cache
                                                   : Buffer::Scalar;
    buffer.death = storage.operations.size();
  }
}

/// The place of a flatten's or a join's result, if all operands lie where it
/// has them, in a buffer that it may lie in.
std::optional<Place> LifetimeAnalysis::findAround(ArrayRef<StorageTie> all,
                                                  OpResult result) {
  std::optional<Place> around;
  for (const StorageTie &tie : all) {
    Place inner = find(result.getOwner()->getOperand(tie.operand));
    Place here = {inner.buffer, inner.offset - tie.offset};
    const Buffer &buffer = storage.buffers[here.buffer];
    const bool mayLie =
        buffer.role == Buffer::Temporary
            ? !isAllOf(result.getOwner()->getOperand(tie.operand))
            : buffer.role == Buffer::State && isSum(here.buffer);
    if (tie.relation != StorageTie::OperandInResult || !mayLie ||
        here.offset < 0 ||
        here.offset + getByteSize(result.getType()) > buffer.size ||
        (around &&
         (around->buffer != here.buffer || around->offset != here.offset)))
      return std::nullopt;
    around = here;
  }
  return around;
}

/// Lets the operand and the result of a flatten or a join share bytes.
void LifetimeAnalysis::pack(OpOperand &operand, const StorageTie &tie,
                            OpResult result) {
  Place inner = find(operand.get()), whole = find(result);
  Buffer &from = storage.buffers[inner.buffer],
         &to = storage.buffers[whole.buffer];
  int64_t size = getByteSize(operand.get().getType()), end = tie.offset + size;
  if (inner.buffer == whole.buffer && inner.offset == whole.offset + tie.offset)
    return;
  if (inner.buffer != whole.buffer && from.role == Buffer::Temporary) {
    // Place the operand's buffer in the result's if it holds just the operand,
    // or the operand and the padding of a last piece, which is added at the
    // end.
    bool isLast = end == getByteSize(result.getType()) && whole.offset == 0;
    if (inner.offset == 0 && (from.size == size || isLast)) {
      to.size = std::max(to.size, tie.offset + from.size);
      return join(inner.buffer, whole.buffer, whole.offset + tie.offset);
    }
    // Otherwise rows of a larger value that are packed alone are packed in
    // their place: the result's buffer becomes a part of the operand's.
    // Padding belongs to no value, so it may overlap the rows that follow.
    bool alone = operand.getOwner()->getNumOperands() == 1 && tie.offset == 0 &&
                 whole.offset == 0 && to.role == Buffer::Temporary;
    int64_t need = inner.offset + to.size;
    if (alone && (need <= from.size || inner.offset + size == from.size)) {
      from.size = std::max(from.size, need);
      return join(whole.buffer, inner.buffer, inner.offset);
    }
  }
  // The operand is an argument, a part of another value, or packed already.
  storage.copies.push_back(&operand);
}

/// Whether `buffer`, which is state, is of sums of gradients.
bool LifetimeAnalysis::isSum(unsigned buffer) {
  auto argument = cast<BlockArgument>(storage.buffers[buffer].name);
  return isSumSlot(step.getState(argument.getArgNumber()).getSlot());
}

/// Places the result in the bytes of the operand.
LogicalResult LifetimeAnalysis::replace(OpOperand &operand, OpResult result,
                                        unsigned point) {
  Operation *op = operand.getOwner();
  Place place = find(operand.get());
  int64_t size = getByteSize(operand.get().getType()), begin = place.offset,
          end = begin + size;
  if (size != getByteSize(result.getType()))
    return op->emitOpError("result ")
           << result.getResultNumber() << " of "
           << bytesText(getByteSize(result.getType()))
           << " cannot replace operand " << operand.getOperandNumber() << " of "
           << bytesText(size) << "; give both one size";
  auto &readable = held[place.buffer];
  auto overlaps = [&](int64_t from, int64_t to) {
    return from < end && begin < to;
  };

  Operation *reader = nullptr; // a later reader of the old bytes
  for (const Held &value : readable)
    if (value.lastUse > point && overlaps(value.begin, value.end))
      reader = storage.operations[value.lastUse - 1];
  for (OpOperand &other : op->getOpOperands()) {
    if (&other == &operand || !holdsBytes(other.get().getType()))
      continue;
    Place at = find(other.get());
    if (at.buffer == place.buffer &&
        overlaps(at.offset, at.offset + getByteSize(other.get().getType())))
      reader = op;
  }

  // Only updates overwrite state, gradients their sums, and attention its
  // caches; nothing overwrites inputs and scalars.
  bool isShard = isa<ShardType>(operand.get().getType());
  Buffer::Role role = storage.buffers[place.buffer].role;
  bool survives = role != Buffer::Temporary && role != Buffer::Cache &&
                  !(role == Buffer::State && (isShard || isSum(place.buffer)));
  if (reader || survives) {
    if (isShard) {
      InFlightDiagnostic error =
          op->emitOpError("overwrites the ")
          << bytesText(size) << " of " << getValueName(operand.get())
          << ", which are read afterwards; move the reader before it";
      if (reader)
        error.attachNote(reader->getLoc()) << "read here";
      return error;
    }
    storage.copies.push_back(&operand);
    create(result, point);
    return success();
  }
  llvm::erase_if(readable, [&](const Held &value) {
    return overlaps(value.begin, value.end);
  });
  hold(result, place.buffer, begin, point);
  return success();
}

LogicalResult LifetimeAnalysis::place(Operation *op, unsigned point) {
  auto &mine = ties[op] = getStorageTies(op, symbols);
  for (const StorageTie &tie : mine) {
    OpResult result = op->getResult(tie.result);
    OpOperand &operand = op->getOpOperand(tie.operand);
    if (tie.relation == StorageTie::ResultInOperand) {
      Place place = find(operand.get());
      hold(result, place.buffer, place.offset + tie.offset, point);
    } else if (tie.relation == StorageTie::OperandInResult) {
      if (!storage.places.contains(result)) {
        if (std::optional<Place> around = findAround(mine, result)) {
          hold(result, around->buffer, around->offset, point);
        } else {
          Buffer &buffer = storage.buffers[create(result, point)];
          if (auto known = dyn_cast<PlanOpInterface>(op))
            buffer.use = known.getBytesUse();
        }
      }
      pack(operand, tie, result);
    } else if (tie.relation == StorageTie::MustReplace) {
      if (failed(replace(operand, result, point)))
        return failure();
    }
  }
  for (OpResult result : op->getResults())
    if (holdsBytes(result.getType()) && !storage.places.contains(result)) {
      Buffer &buffer = storage.buffers[create(result, point)];
      if (auto known = dyn_cast<PlanOpInterface>(op))
        buffer.use = known.getBytesUse();
    }
  if (auto collective = dyn_cast<CollectiveOpInterface>(op))
    for (unsigned i : collective.getExportedOperands()) {
      Buffer &buffer = storage.buffers[find(op->getOperand(i)).buffer];
      if (buffer.tier != Tier::Device)
        return op->emitOpError("lets peers read ")
               << getValueName(op->getOperand(i)) << " on the "
               << stringifyTier(buffer.tier)
               << "; peers read the device's bytes alone, fetch it first";
      buffer.exported = true;
    }
  return success();
}

/// Keeps the operands and results of collectives, and of what quantizes these
/// on their stream, until the next one of the stream.
void LifetimeAnalysis::outliveCollectives() {
  SmallVector<Operation *> last(getMaxEnumValForStream() + 1);
  auto keep = [&](Operation *op, unsigned until) {
    SmallVector<Value> values(op->getOperands());
    llvm::append_range(values, op->getResults());
    for (Value value : values) {
      Buffer &buffer = storage.buffers[find(value).buffer];
      buffer.death = std::max(buffer.death, until);
    }
  };
  for (auto [i, op] : llvm::enumerate(storage.operations)) {
    if ((!isCollective(op) && !isa<QuantizeOp>(op)) ||
        getStream(op) == Stream::Compute)
      continue;
    Operation *&before = last[static_cast<unsigned>(getStream(op))];
    if (before)
      keep(before, i + 1);
    before = op;
    // Far ahead of its use, a gather is complete only then.
    if (auto gather = dyn_cast<AllGatherOp>(op))
      if (unsigned reader = points.lookup(getFirstReader(gather.getResult())))
        keep(op, reader - 1);
  }
}

/// Pins the values that outlive the step: next state, and outputs.
LogicalResult LifetimeAnalysis::finish(Operation *terminator, unsigned point) {
  unsigned next = 0;
  for (BlockArgument argument : step.getArguments()) {
    auto state = step.getState(argument.getArgNumber());
    if (!state)
      continue;
    if (next == terminator->getNumOperands())
      return terminator->emitOpError("returns ")
             << next << " values, which leaves " << getValueName(argument)
             << " without a next value; return the next state first, in "
                "argument order";
    Value value = terminator->getOperand(next++);
    if (value.getType() != argument.getType())
      return terminator->emitOpError("returns ")
             << value.getType() << " as the next " << getValueName(argument)
             << " of " << argument.getType()
             << "; return the next state first, in argument order";
    Place to = find(argument), from = find(value);
    if (to.buffer != from.buffer || to.offset != from.offset) {
      InFlightDiagnostic error = terminator->emitOpError("returns a next ")
                                 << getValueName(argument)
                                 << " that is not in the state's bytes; return "
                                    "the argument or its update";
      error.attachNote(value.getLoc()) << "the value that is returned";
      return error;
    }
  }
  for (auto &[argument, name, value] : findNextCaches(step)) {
    ++next;
    if (!value || value.getType() != argument.getType() ||
        find(argument).buffer != find(value).buffer)
      return terminator->emitOpError("returns no next value of the cache ")
             << name << " in its bytes; return what cached attention gives";
  }
  for (Value output : terminator->getOperands().drop_front(next)) {
    Buffer &buffer = storage.buffers[find(output).buffer];
    if (buffer.role != Buffer::Temporary)
      continue;
    buffer.role = Buffer::Output;
    buffer.birth = 0;
    buffer.death = point;
    buffer.name = output;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Ties that may hold
//===----------------------------------------------------------------------===//

void LifetimeAnalysis::workInPlace(Operation *op, unsigned point) {
  for (const StorageTie &tie : ties[op]) {
    if (tie.relation != StorageTie::MayReplace)
      continue;
    OpResult result = op->getResult(tie.result);
    Value operand = op->getOperand(tie.operand);
    unsigned from = find(operand).buffer, to = find(result).buffer;
    if (from == to || !isAllOf(operand) || !isAllOf(result) ||
        storage.buffers[from].size != storage.buffers[to].size ||
        storage.buffers[from].tier != storage.buffers[to].tier)
      continue;
    bool dies = storage.buffers[from].death == point &&
                storage.buffers[from].lastDefinition < point &&
                storage.buffers[to].birth == point;
    bool alone = llvm::none_of(op->getOpOperands(), [&](OpOperand &other) {
      return other.getOperandNumber() != tie.operand &&
             holdsBytes(other.get().getType()) &&
             find(other.get()).buffer == from;
    });
    if (asAssigned && (!bytesOf(result) || bytesOf(result) != bytesOf(operand)))
      continue;
    if (dies && alone)
      join(to, from, /*offset=*/0);
  }
}

//===----------------------------------------------------------------------===//
// The analysis
//===----------------------------------------------------------------------===//

/// Keeps only roots in the list of buffers, in the order of creation.
void LifetimeAnalysis::compact() {
  std::vector<Buffer> roots;
  std::vector<unsigned> renamed(storage.buffers.size());
  for (unsigned i = 0, e = storage.buffers.size(); i != e; ++i)
    if (outer[i].buffer == i) {
      renamed[i] = roots.size();
      roots.push_back(storage.buffers[i]);
    }
  SmallVector<Value> values =
      llvm::to_vector(llvm::make_first_range(storage.places));
  for (Value value : values)
    find(value);
  for (auto &entry : storage.places)
    entry.second.buffer = renamed[entry.second.buffer];
  storage.buffers = std::move(roots);
}

FailureOr<Storage> LifetimeAnalysis::run() {
  for (Operation &op : step.front()) {
    storage.operations.push_back(&op);
    points[&op] = storage.operations.size();
  }
  placeArguments();
  for (auto [i, op] : llvm::enumerate(storage.operations))
    if (failed(place(op, i + 1)))
      return failure();
  if (failed(finish(storage.operations.back(), storage.operations.size())))
    return failure();
  outliveCollectives();
  for (auto [i, op] : llvm::enumerate(storage.operations))
    workInPlace(op, i + 1);
  compact();
  return std::move(storage);
}

FailureOr<Storage> zero::analyzeStorage(ProgramOp step, bool asAssigned) {
  return LifetimeAnalysis(step, asAssigned).run();
}

/// The bytes that are alive by point.
static std::vector<int64_t>
getLiveBytes(const Storage &storage,
             llvm::function_ref<bool(const Buffer &)> counts) {
  std::vector<int64_t> live(storage.operations.size() + 2);
  for (const Buffer &buffer : storage.buffers) {
    if (!counts(buffer))
      continue;
    live[buffer.birth] += buffer.size;
    live[buffer.death + 1] -= buffer.size;
  }
  for (size_t point = 1; point < live.size(); ++point)
    live[point] += live[point - 1];
  return live;
}

LivePeak zero::getLivePeak(const Storage &storage, Tier tier) {
  LivePeak peak;
  for (auto [point, bytes] :
       llvm::enumerate(getLiveBytes(storage, [tier](const Buffer &buffer) {
         return buffer.tier == tier;
       })))
    if (bytes > peak.bytes)
      peak = {bytes, static_cast<unsigned>(point)};
  return peak;
}

SmallVector<LivePeak>
zero::getPeaksAbove(const Storage &storage, int64_t limit,
                    llvm::function_ref<bool(const Buffer &)> counts) {
  SmallVector<LivePeak> peaks;
  bool isAbove = false;
  for (auto [point, bytes] : llvm::enumerate(getLiveBytes(storage, counts))) {
    if (bytes > limit && !std::exchange(isAbove, true))
      peaks.emplace_back();
    isAbove = bytes > limit;
    if (isAbove && bytes > peaks.back().bytes)
      peaks.back() = {bytes, static_cast<unsigned>(point)};
  }
  return peaks;
}
