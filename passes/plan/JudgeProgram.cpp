//===- JudgeProgram.cpp - The program, operation by operation -------------===//

#include "passes/plan/JudgeProgram.h"

#include "dialect/nn/NN.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

//===----------------------------------------------------------------------===//
// Words for messages
//===----------------------------------------------------------------------===//

bool judge::isBytes(Value value) {
  return isa<ShardType, RankedTensorType>(value.getType());
}

std::string judge::describe(Value value) {
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

std::string judge::describe(Tier tier, int64_t begin, int64_t end) {
  return (stringifyTier(tier) + " bytes [" + Twine(begin) + ", " + Twine(end) +
          ")")
      .str();
}

std::string judge::describe(BytesAttr range) {
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
