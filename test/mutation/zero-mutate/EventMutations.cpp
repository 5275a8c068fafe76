//===- EventMutations.cpp - Break events and streams ----------------------===//

#include "Places.h"

#include "dialect/zero/Storage.h"

using namespace mlir;
using namespace mlir::zero;

Change zero::dropWait(Victim &, WaitOp wait) {
  std::string text = describe(wait);
  wait.erase();
  return text + ": dropped";
}

Change zero::dropRecord(Victim &, RecordOp record) {
  std::string text = describe(record);
  unsigned waits = 0;
  for (Operation *user :
       llvm::make_early_inc_range(record.getEvent().getUsers())) {
    user->erase();
    ++waits;
  }
  record.erase();
  return text + ": dropped with its waits, " + std::to_string(waits);
}

/// Moves `op` past one to four other operations, or anywhere in its block.
static Change moveInBlock(Operation *op, Random &random) {
  Block *block = op->getBlock();
  SmallVector<Operation *> others;
  unsigned from = 0;
  for (Operation &other : *block)
    if (&other == op)
      from = others.size();
    else
      others.push_back(&other); // the last is the terminator
  if (others.size() < 2)
    return {};
  int64_t to;
  if (random.once(3)) {
    to = random.below(others.size());
  } else {
    int64_t distance = random.between(1, 4);
    to = std::clamp<int64_t>(from + (random.once(2) ? distance : -distance), 0,
                             others.size() - 1);
  }
  std::string text = describe(op);
  op->moveBefore(others[to]);
  return text + ": moved before " + describe(others[to]);
}

Change zero::moveRecord(Victim &victim, RecordOp record) {
  return moveInBlock(record, victim.random);
}

Change zero::moveWait(Victim &victim, WaitOp wait) {
  return moveInBlock(wait, victim.random);
}

Change zero::swapEvent(Victim &victim, WaitOp wait) {
  // Sometimes chooses a later record, which MLIR refuses.
  bool anywhere = victim.random.once(8);
  auto other = pick<RecordOp>(victim, [&](RecordOp record) {
    return record->getBlock() == wait->getBlock() &&
           record.getEvent() != wait.getEvent() &&
           (anywhere || record->isBeforeInBlock(wait));
  });
  if (!other)
    return {};
  std::string text = describe(wait) + ": waits for " + describe(other) +
                     " instead of " + describe(wait.getEvent().getDefiningOp());
  wait.getEventMutable().assign(other.getEvent());
  return text;
}

/// Draws a stream other than `stream`; mostly one that plans use.
static Stream drawOther(Random &random, Stream stream) {
  constexpr Stream kUsual[] = {Stream::Compute, Stream::Gather, Stream::Reduce};
  Stream other;
  do {
    other = random.once(4) ? Stream(random.below(getMaxEnumValForStream() + 1))
                           : random.pick(ArrayRef<Stream>(kUsual));
  } while (other == stream);
  return other;
}

static void setStream(Operation *op, Stream stream) {
  if (auto record = dyn_cast<RecordOp>(op))
    record.setOn(stream);
  else if (auto wait = dyn_cast<WaitOp>(op))
    wait.setOn(stream);
  else if (stream == Stream::Compute)
    op->removeAttr(kStreamAttr);
  else
    op->setAttr(kStreamAttr, StreamAttr::get(op->getContext(), stream));
}

static Change changeStreamOf(Victim &victim,
                             function_ref<bool(Operation *)> filter) {
  Operation *op = pick(victim, filter);
  if (!op)
    return {};
  Stream stream = drawOther(victim.random, getStream(op));
  std::string text = describe(op);
  setStream(op, stream);
  return text + ": put on " + stringifyStream(stream).str();
}

Change zero::changeStream(Victim &victim) {
  return changeStreamOf(victim, runsOnStream);
}

Change zero::changeCollectiveStream(Victim &victim) {
  return changeStreamOf(victim, isCollective);
}

Change zero::changeRecordStream(Victim &victim) {
  return changeStreamOf(victim, llvm::IsaPred<RecordOp>);
}

Change zero::changeWaitStream(Victim &victim) {
  return changeStreamOf(victim, llvm::IsaPred<WaitOp>);
}

Change zero::renameStream(Victim &victim, ProgramOp program) {
  Stream from = Stream(victim.random.below(3));
  Stream to = drawOther(victim.random, from);
  unsigned count = 0;
  for (Operation &op : program.front().without_terminator())
    if ((runsOnStream(&op) || isa<RecordOp, WaitOp>(op)) &&
        getStream(&op) == from) {
      setStream(&op, to);
      ++count;
    }
  if (count == 0)
    return {};
  return "@" + program.getName().str() + ": all " + std::to_string(count) +
         " of stream " + stringifyStream(from).str() + " put on " +
         stringifyStream(to).str();
}
