//===- Schedule.cpp - A program as tasks on streams -----------------------===//

#include "passes/plan/Schedule.h"

#include "dialect/zero/PlanPrograms.h"
#include "dialect/zero/Storage.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

constexpr size_t kScheduledStreams = getMaxEnumValForStream() + 1;

/// When each part of the arenas was touched, in bytes touched since the start.
class TouchedBytes {
public:
  explicit TouchedBytes(int64_t cacheBytes) : cacheBytes(cacheBytes) {}

  /// Touches the first `bytes` of `range`; returns how many were in the cache.
  int64_t touch(BytesAttr range, int64_t bytes) {
    int64_t cached = 0;
    const uint64_t tier = static_cast<uint64_t>(range.getTier()) << 56,
                   begin = range.getOffset(), end = begin + bytes;
    for (uint64_t part = begin / kPart; part * kPart < end; ++part) {
      int64_t some = int64_t(std::min(end, (part + 1) * kPart) -
                             std::max(begin, part * kPart));
      auto [last, isNew] = lastTouch.try_emplace(tier | part, 0);
      if (!isNew && now - last->second < cacheBytes)
        cached += some;
      now += some;
      last->second = now;
    }
    return cached;
  }

private:
  static constexpr uint64_t kPart = 32 << 10;
  const int64_t cacheBytes;
  int64_t now = 0;
  DenseMap<uint64_t, int64_t> lastTouch;
};

} // namespace

Schedule::Schedule(ProgramOp theProgram, int64_t cacheBytes)
    : program(theProgram) {
  collectTasks();
  splitBytes(cacheBytes);
}

void Schedule::collectTasks() {
  SymbolTableCollection symbols;
  DenseMap<Operation *, unsigned> taskOf;
  // By stream: its last task, and what its next one waits for.
  std::array<int64_t, kScheduledStreams> last;
  std::array<SmallVector<unsigned>, kScheduledStreams> held;
  last.fill(-1);
  // By event: the tasks that are complete when it is reached.
  DenseMap<Value, SmallVector<unsigned>> reached;
  // The tasks that make `value`, behind operations that only name bytes.
  auto addMakers = [&](auto &self, Value value,
                       SmallVectorImpl<unsigned> &makers) -> void {
    Operation *maker = value.getDefiningOp();
    if (!maker)
      return;
    if (auto task = taskOf.find(maker); task != taskOf.end()) {
      makers.push_back(task->second);
    } else {
      for (Value operand : maker->getOperands())
        self(self, operand, makers);
    }
  };
  bool hasEvents = false;
  for (auto op : program.front().getOps<PlanOpInterface>()) {
    if (auto record = dyn_cast<RecordOp>(*op)) {
      hasEvents = true;
      const auto stream = unsigned(record.getOn());
      SmallVector<unsigned> complete = held[stream];
      if (last[stream] >= 0)
        complete.push_back(unsigned(last[stream]));
      reached[record.getEvent()] = std::move(complete);
    } else if (auto wait = dyn_cast<WaitOp>(*op)) {
      llvm::append_range(held[unsigned(wait.getOn())],
                         reached.lookup(wait.getEvent()));
    } else if (!op.movesNothing()) {
      const Stream stream = getStream(op);
      const auto number = unsigned(stream);
      Task task{
          op, stream, {}, std::move(held[number]), countWork(op, symbols)};
      held[number].clear();
      for (Value operand : op->getOperands())
        addMakers(addMakers, operand, task.inputs);
      last[number] = int64_t(tasks.size());
      taskOf[op] = unsigned(tasks.size());
      tasks.push_back(std::move(task));
    }
  }
  if (!hasEvents)
    for (Task &task : tasks)
      task.after = task.inputs;
}

void Schedule::splitBytes(int64_t cacheBytes) {
  SymbolTableCollection symbols;
  TouchedBytes touched(cacheBytes);
  for (Task &task : tasks) {
    if (crossesTiers(task.op))
      continue; // its bytes are those of its link
    auto op = cast<PlanOpInterface>(task.op);
    const std::string kind = getWorkKind(op, symbols);
    double all = 0, cached = 0;
    auto add = [&](Value value) {
      const int64_t bytes = countWorkBytes(op, value, symbols);
      all += double(bytes);
      if (BytesAttr range = bytesOf(value); range && cacheBytes > 0)
        cached += double(touched.touch(range, bytes));
    };
    for (Value operand : op->getOperands())
      add(operand);
    for (Value result : op->getResults())
      add(result);
    task.work[kind + ".memory"] += all - cached;
    task.work[kind + ".cache"] += cached;
  }
}

LogicalResult Schedule::verify() const {
  // By stream: the last of its tasks that is complete.
  using Complete = std::array<int64_t, kScheduledStreams>;
  std::vector<Complete> atEnd(tasks.size());
  Complete none;
  none.fill(-1);
  std::array<Complete, kScheduledStreams> ofStream;
  ofStream.fill(none);
  for (auto [i, task] : llvm::enumerate(tasks)) {
    Complete &now = ofStream[unsigned(task.stream)];
    for (unsigned before : task.after)
      for (size_t stream = 0; stream != kScheduledStreams; ++stream)
        now[stream] = std::max(now[stream], atEnd[before][stream]);
    for (unsigned input : task.inputs)
      if (now[unsigned(tasks[input].stream)] < int64_t(input))
        return task.op->emitOpError("reads what stream ")
               << stringifyStream(tasks[input].stream)
               << " makes, and does not wait for it";
    now[unsigned(task.stream)] = int64_t(i);
    atEnd[i] = now;
  }
  return success();
}
