//===- Structure.cpp - Byte ranges of the values of a program -------------===//

#include "passes/verify/Rules.h"

#include "dialect/nn/NN.h"
#include "dialect/nn/Precision.h"
#include "dialect/zero/Storage.h"
#include "passes/verify/Diagnostics.h"
#include "passes/verify/KnownOperations.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

namespace {
class Structure {
public:
  Structure(ProgramOp program, Arenas arenas, const BucketLayouts &layouts)
      : program(program), arenas(arenas), layouts(layouts) {}

  FailureOr<Ranges> run() {
    if (failed(judgeArguments()))
      return failure();
    for (Operation &op : program.front())
      if (failed(judgeOperation(&op)))
        return failure();
    return std::move(ranges);
  }

private:
  LogicalResult judgeArguments();
  LogicalResult judgeOperation(Operation *op);
  LogicalResult judgeElements(Operation *op);
  LogicalResult judgeRange(Operation *op, Value value);
  LogicalResult judgeTies(Operation *op, ArrayRef<StorageTie> ties);
  LogicalResult judgeOverlaps(Operation *op, ArrayRef<StorageTie> ties);
  LogicalResult judgeExports(Operation *op);
  LogicalResult judgeTiers(Operation *op);
  LogicalResult judgeBlocks(Operation *op, BytesAttr from, BytesAttr to);

  ProgramOp program;
  Arenas arenas;
  const BucketLayouts &layouts;
  Ranges ranges;
  SymbolTableCollection symbols;
};
} // namespace

bool judge::isElement(Type type) {
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64() ||
         type.isSignlessInteger(1) || type.isSignlessInteger(8) ||
         type.isSignlessInteger(16) || type.isSignlessInteger(32) ||
         type.isSignlessInteger(64);
}

/// The block size of reads and writes on NVMe.
static constexpr int64_t kBlock = 4096;

/// The bytes of a rank's value of `type`; nothing if the runtime does not
/// support its elements or the size overflows.
static std::optional<int64_t> sizeOf(Type type) {
  Type element = getElementType(type);
  const auto block = dyn_cast<QuantizedBlockType>(element);
  if (!block && !judge::isElement(element))
    return std::nullopt;
  // A block has 256 codes and an f32.
  int64_t size = block ? 32 * block.getBits() + 4
                       : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  if (auto shard = dyn_cast<ShardType>(type))
    return llvm::checkedMul(size, shard.getSliceElements());
  auto stored = dyn_cast<StoredType>(type);
  auto tensor = stored ? stored.getTensor() : cast<RankedTensorType>(type);
  if (!tensor.hasStaticShape())
    return std::nullopt;
  SmallVector<int64_t> extents(tensor.getShape());
  if (Attribute encoding = tensor.getEncoding()) {
    // Only rows of a matrix may be padded.
    auto pitch = dyn_cast<PitchAttr>(encoding);
    if (!pitch || extents.size() != 2 || pitch.getElements() < extents[1])
      return std::nullopt;
    extents[1] = pitch.getElements();
  }
  for (int64_t extent : extents) {
    std::optional<int64_t> larger = llvm::checkedMul(size, extent);
    if (!larger)
      return std::nullopt;
    size = *larger;
  }
  return size;
}

LogicalResult Structure::judgeRange(Operation *op, Value value) {
  BytesAttr range = bytesOf(value);
  if (!range) // (S1)
    return op->emitOpError("gives no bytes to ") << describe(value) << " (S1)";
  std::optional<int64_t> known = sizeOf(value.getType());
  if (!known) // (S1)
    return op->emitOpError("has a value of type ")
           << value.getType() << ", whose bytes the runtime cannot tell (S1)";
  int64_t size = *known;
  if (range.getSize() != size) // (S1)
    return op->emitOpError("gives ")
           << range.getSize() << " bytes to " << describe(value)
           << ", which has " << size << " (S1)";
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  if (tensor && tensor.getEncoding() && !has(op, Fact::TakesPaddedRows)) // (S1)
    return op->emitOpError("gives ")
           << describe(value)
           << " with padded rows, which only products and kernels know (S1)";
  if (range.getTier() != getTier(value.getType())) // (S1)
    return op->emitOpError("puts ")
           << describe(value) << " at " << describe(range) << ", and its type "
           << value.getType() << " is of the "
           << stringifyTier(getTier(value.getType())) << " (S1)";
  int64_t limit = arenas.bytes[int(range.getTier())];
  if (range.getOffset() > limit - size) // (S1)
    return op->emitOpError("puts ")
           << describe(value) << " at " << describe(range)
           << ", outside of the arena of " << limit << " bytes (S1)";
  if (arenas.workspace && range.overlaps(arenas.workspace)) // (S1)
    return op->emitOpError("puts ")
           << describe(value) << " at " << describe(range)
           << ", over the workspace of products at "
           << describe(arenas.workspace) << " (S1)";
  if (range.getTier() == Tier::Nvme && range.getOffset() % kBlock != 0) // (S1)
    return op->emitOpError("puts ")
           << describe(value) << " at " << describe(range)
           << " (S1); what is on nvme begins a block of " << kBlock
           << " bytes, which holds nothing else";
  ranges[value] = range;
  return success();
}

LogicalResult Structure::judgeArguments() {
  SmallVector<BlockArgument> placed;
  DenseSet<Attribute> kept;
  for (BlockArgument argument : program.getArguments()) {
    if (auto state = program.getState(argument.getArgNumber())) {
      if (!layouts.contains(state.getBucket().getValue())) // (S5)
        return program->emitOpError("keeps ")
               << describe(argument)
               << ", but the module has no such bucket (S5)";
      if (!isInArena(argument)) // (S5)
        return program->emitOpError("keeps ")
               << describe(argument) << " as " << argument.getType()
               << ", which has no bytes (S5)";
      if (!kept.insert(state).second) // (S5)
        return program->emitOpError("keeps ")
               << describe(argument) << " twice (S5)";
    }
    if (!isInArena(argument))
      continue;
    if (failed(judgeRange(program, argument)))
      return failure();
    if (ranges.lookup(argument).getSize())
      placed.push_back(argument);
  }
  auto key = [&](BlockArgument argument) {
    BytesAttr range = ranges.lookup(argument);
    return std::make_tuple(range.getTier(), range.getOffset(),
                           argument.getArgNumber());
  };
  llvm::sort(placed,
             [&](BlockArgument a, BlockArgument b) { return key(a) < key(b); });
  for (size_t i = 1; i < placed.size(); ++i) {
    BlockArgument a = placed[i - 1], b = placed[i];
    if (!ranges.lookup(a).overlaps(ranges.lookup(b)))
      continue;
    if (a.getArgNumber() > b.getArgNumber())
      std::swap(a, b);
    return program->emitOpError("puts ") // (S1)
           << describe(b) << " at " << describe(ranges.lookup(b)) << ", over "
           << describe(a) << " at " << describe(ranges.lookup(a)) << " (S1)";
  }
  return success();
}

LogicalResult Structure::judgeTies(Operation *op, ArrayRef<StorageTie> ties) {
  for (const StorageTie &tie : ties) {
    Value operand = op->getOperand(tie.operand),
          result = op->getResult(tie.result);
    BytesAttr in = ranges.lookup(operand), out = ranges.lookup(result);
    bool holds = in.getTier() == out.getTier();
    switch (tie.relation) {
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

LogicalResult Structure::judgeOverlaps(Operation *op,
                                       ArrayRef<StorageTie> ties) {
  for (OpResult result : op->getResults()) {
    if (!isInArena(result))
      continue;
    BytesAttr mine = ranges.lookup(result);
    for (OpResult other :
         op->getResults().drop_front(result.getResultNumber() + 1))
      if (isInArena(other) && mine.overlaps(ranges.lookup(other))) // (S3)
        return op->emitOpError("has results ")
               << result.getResultNumber() << " and " << other.getResultNumber()
               << " that overlap, at " << describe(mine) << " and "
               << describe(ranges.lookup(other)) << " (S3)";
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isInArena(operand.get()) ||
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

LogicalResult Structure::judgeExports(Operation *op) {
  if (has(op, Fact::ReadByPeers)) {
    BytesAttr range = ranges.lookup(op->getOperand(0));
    if (range.getTier() != Tier::Device ||
        range.getOffset() < arenas.exported) // (S4)
      return op->emitOpError("lets peers read ")
             << describe(op->getOperand(0)) << " at " << describe(range)
             << ", but only bytes of the device from " << arenas.exported
             << " on are exported (S4)";
  }
  return success();
}

/// The runtime's own operations on buckets support f32 and 16-bit floats;
/// packed buckets are gathered as bytes, and blocks of numbers are exchanged.
LogicalResult Structure::judgeElements(Operation *op) {
  if (!has(op, Fact::OnBuckets))
    return success();
  Type type = getElementType(op->getNumOperands() ? op->getOperand(0).getType()
                                                  : op->getResult(0).getType());
  if (type.isF32() || nn::isHalf(type) ||
      (has(op, Fact::TakesBytes) && type.isSignlessInteger(8)) ||
      (has(op, Fact::TakesBlocks) && isa<QuantizedBlockType>(type)))
    return success();
  return op->emitOpError("computes with ") // (S5)
         << type << " (S5); the runtime does so with f32, bf16 and f16";
}

LogicalResult Structure::judgeOperation(Operation *op) {
  if (!namesBytes(op) && !runs(op)) // (S5)
    return op->emitOpError("is no operation of a plan (S5); put it into a "
                           "kernel");
  if (failed(judgeElements(op)))
    return failure();
  if (auto bucket = getBucketRef(op);
      bucket && !layouts.contains(bucket.getValue())) // (S5)
    return op->emitOpError("refers to ")
           << bucket << ", which is no bucket of the module (S5)";
  // A bucket's values and their parts have one element type: only ranges are
  // cut.
  if (has(op, Fact::KeepsElements))
    for (Value operand : op->getOperands())
      if (Type from = getElementType(operand.getType()),
          to = getElementType(op->getResult(0).getType());
          from != to &&
          !(has(op, Fact::SumsAsF32) &&
            (isa<QuantizedBlockType>(from)
                 ? has(op, Fact::TakesBlocks) && (to.isF32() || nn::isHalf(to))
                 : nn::isHalf(from) && to.isF32()))) // (S1)
        return op->emitOpError("makes ")
               << op->getResult(0).getType() << " of " << operand.getType()
               << " (S1); both have the same elements";
  for (OpResult result : op->getResults())
    if (isInArena(result) && failed(judgeRange(op, result)))
      return failure();
  SmallVector<StorageTie> ties = getTies(op, symbols);
  if (failed(judgeTies(op, ties)))
    return failure();
  if (namesBytes(op))
    return success();
  if (failed(judgeExports(op)))
    return failure();
  return failure(failed(judgeTiers(op)) || failed(judgeOverlaps(op, ties)));
}

/// The stream of transfers between two tiers; nothing if they are no
/// neighbours.
static std::optional<Stream> linkBetween(Tier from, Tier to) {
  if (from == Tier::Host && to == Tier::Device)
    return Stream::H2D;
  if (from == Tier::Device && to == Tier::Host)
    return Stream::D2H;
  if (from == Tier::Nvme && to == Tier::Host)
    return Stream::NvmeRead;
  if (from == Tier::Host && to == Tier::Nvme)
    return Stream::NvmeWrite;
  return std::nullopt;
}

/// Drives transfer whole blocks, so both ranges of a transfer are aligned.
LogicalResult Structure::judgeBlocks(Operation *op, BytesAttr from,
                                     BytesAttr to) {
  if (from.getTier() == Tier::Nvme || to.getTier() == Tier::Nvme)
    for (BytesAttr range : {from, to})
      if (range.getOffset() % kBlock != 0) // (V7)
        return op->emitOpError("moves ")
               << describe(from) << " to " << describe(to)
               << " (V7); what goes to or comes from nvme begins at a multiple "
                  "of "
               << kBlock;
  return success();
}

LogicalResult Structure::judgeTiers(Operation *op) {
  if (isTransfer(op)) {
    BytesAttr from = ranges.lookup(op->getOperand(0)),
              to = ranges.lookup(op->getResult(0));
    if (linkBetween(from.getTier(), to.getTier()) == getStream(op))
      return judgeBlocks(op, from, to);
    return op->emitOpError("moves ") // (V7)
           << describe(from) << " to " << describe(to) << " on stream "
           << stringifyStream(getStream(op))
           << " (V7); each way between neighbouring tiers has a stream of its "
              "own";
  }
  // Updates on the host stream compute in host memory, all others on the
  // device, where streams of transfers have no kernels.
  const Stream stream = getStream(op);
  const bool isOnHost = isa<UpdateOp>(op) && stream == Stream::Host;
  static constexpr Stream kNotOfDevice[] = {Stream::H2D, Stream::D2H,
                                            Stream::NvmeRead, Stream::NvmeWrite,
                                            Stream::Host};
  if (!isOnHost && llvm::is_contained(kNotOfDevice, stream)) // (V7)
    return op->emitOpError("computes on stream ")
           << stringifyStream(stream)
           << " (V7); that is for transfers, and host for updates";
  const Tier tier = isOnHost ? Tier::Host : Tier::Device;
  SmallVector<Value> touched(op->getOperands());
  llvm::append_range(touched, op->getResults());
  for (Value value : touched)
    if (isInArena(value) && ranges.lookup(value).getTier() != tier) // (V7)
      return op->emitOpError("computes on ")
             << describe(ranges.lookup(value)) << " of " << describe(value)
             << " (V7); it computes on " << stringifyTier(tier)
             << " bytes, fetch the value first";
  return success();
}

FailureOr<Ranges> judge::judgeStructure(ProgramOp program, Arenas arenas,
                                        const BucketLayouts &layouts) {
  return Structure(program, arenas, layouts).run();
}
