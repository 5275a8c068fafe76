//===- JudgeAccesses.cpp - Reads and writes of a program ------------------===//
//
// (V1), (V2) and (S4): what a read finds, and what a write comes after.
//
//===----------------------------------------------------------------------===//

#include "passes/plan/JudgeProgram.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

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
