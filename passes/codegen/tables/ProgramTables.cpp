//===- ProgramTables.cpp - Programs as tables of zrt ----------------------===//
//
// Every operation that runs is an entry with its stream, its kind, and a
// constant descriptor, which names operands by tier, offset, type and extent.
//
//   %2 = zero.all_gather @b0 %1 {stream = gather}     {COLLECTIVE, 1, &gather}
//   zero.record %e on gather                     =>   {RECORD,     1, &event}
//   zero.wait %e on compute                           {WAIT,       0, &event}
//   %3 = zero.launch @layer_norm(%2, ...)             {LAUNCH,     0, &launch}
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/tables/ProgramTables.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/Cost.h"
#include "dialect/zero/Locations.h"
#include "dialect/zero/PlanPrograms.h"
#include "dialect/zero/Storage.h"
#include "passes/codegen/tables/Dispatch.h"

using namespace mlir;
using namespace mlir::zero;

static bool isEntry(Operation *op) {
  auto planned = dyn_cast<PlanOpInterface>(op);
  return isEvent(op) || (planned && !planned.movesNothing());
}

SmallVector<Stream> zero::listStreams(ModuleOp plan) {
  SmallVector<Stream> streams = {Stream::Compute};
  for (ProgramOp program : findPrograms(plan))
    for (Operation &op : program.front())
      if (isEntry(&op) && !llvm::is_contained(streams, getStream(&op)))
        streams.push_back(getStream(&op));
  llvm::sort(streams);
  return streams;
}

namespace {

class ProgramTable {
public:
  ProgramTable(ArrayRef<Stream> streams, PlanOperands &operands)
      : streams(streams), operands(operands), constants(operands.constants) {}

  Zrt<zrt_program> build(ProgramOp program) {
    SmallVector<Zrt<zrt_op>> table;
    for (Operation &op : program.front())
      if (isEntry(&op)) {
        auto [kind, descriptor] = describe(&op);
        table.push_back(
            {.kind = kind,
             .stream = static_cast<uint32_t>(
                 llvm::find(streams, getStream(&op)) - streams.begin()),
             .descriptor = descriptor});
      }
    return {.ops = constants.array<Zrt<zrt_op>>(table),
            .op_count = table.size(),
            .event_count = static_cast<uint32_t>(events.size())};
  }

private:
  ArrayRef<Stream> streams;
  PlanOperands &operands;
  ZrtConstants &constants;
  SymbolTableCollection symbols;
  DenseMap<Value, uint32_t> events;
  PlanOpInterface current; ///< the operation that is described

  Zrt<zrt_operand> operand(Value value) {
    return operands.getOperand(current, value);
  }

  /// The table's entry for one operation.
  struct Entry {
    uint32_t kind = ZRT_KIND_COUNT;
    llvm::Constant *descriptor = nullptr;
  };

  Entry describe(Operation *op) {
    current = dyn_cast<PlanOpInterface>(op);
    if (auto record = dyn_cast<RecordOp>(op)) {
      uint32_t number = events.size();
      events[record.getEvent()] = number;
      return {ZRT_RECORD, describeEvent(number)};
    }
    if (auto wait = dyn_cast<WaitOp>(op))
      return {ZRT_WAIT, describeEvent(events.lookup(wait.getEvent()))};
    if (auto matmul = dyn_cast<nn::MatmulOp>(op))
      return {ZRT_MATMUL, describe(matmul)};
    if (auto grouped = dyn_cast<nn::GroupedMatmulOp>(op))
      return {ZRT_GROUPED, describe(grouped)};
    if (auto sums = dyn_cast<nn::GroupedMatmulBackwardOp>(op))
      return {ZRT_GROUPED, describe(sums)};
    if (isa<CopyOp>(op))
      return {ZRT_COPY, describe(cast<PlanOpInterface>(op), "copy")};
    if (crossesTiers(op))
      return {ZRT_COPY, describe(cast<PlanOpInterface>(op), nameOperation(op))};
    if (auto packed = dyn_cast<UnpackOp>(op))
      return {ZRT_UNPACK, describe(packed)};
    if (auto quantize = dyn_cast<QuantizeOp>(op))
      return {ZRT_QUANTIZE,
              describeElements<zrt_quantize_desc>(quantize, "quantize")};
    if (auto dequantize = dyn_cast<DequantizeOp>(op))
      return {ZRT_DEQUANTIZE,
              describeElements<zrt_dequantize_desc>(dequantize, "dequantize")};
    if (auto squares = dyn_cast<SumSquaresOp>(op))
      return {ZRT_SQUARES, describe(squares)};
    if (auto collective = dyn_cast<CollectiveOpInterface>(op))
      return {ZRT_COLLECTIVE, describe(collective)};
    SmallVector<KernelOp> kernels = findKernels(op, symbols);
    if (auto update = dyn_cast<UpdateOp>(op); update && kernels.size() == 2)
      return {ZRT_UPDATE, describe(update, kernels[0], kernels[1])};
    if (kernels.size() == 1)
      return {ZRT_LAUNCH, describe(cast<PlanOpInterface>(op), kernels[0])};
    operands.isBroken = true;
    op->emitOpError("has no lowering to the runtime");
    return {};
  }

  llvm::Constant *describeEvent(uint32_t number) {
    return constants.global(Zrt<zrt_event_desc>{.event = number}, "event");
  }

  llvm::Constant *describe(SumSquaresOp op) {
    return constants.global(
        Zrt<zrt_squares_desc>{.name = constants.string(nameOperation(op)),
                              .bucket = operands.getBucket(op.getBucketAttr()),
                              .grad = operand(op.getFlat()),
                              .partials = operand(op.getPartials())},
        "squares");
  }

  /// The same values of a bucket in other elements.
  template <typename Desc, typename OpT>
  llvm::Constant *describeElements(OpT op, StringRef name) {
    return constants.global(
        Zrt<Desc>{.name = constants.string(nameOperation(op)),
                  .bucket = operands.getBucket(op.getBucketAttr()),
                  .source = operand(op.getSource()),
                  .result = operand(op.getResult())},
        name);
  }

  llvm::Constant *describe(UnpackOp op) {
    auto type = cast<RankedTensorType>(op.getResult().getType());
    return constants.global(
        Zrt<zrt_unpack_desc>{.name = constants.string(nameOperation(op)),
                             .packing = static_cast<uint32_t>(op.getPacking()),
                             .elements =
                                 static_cast<uint64_t>(type.getNumElements()),
                             .source = operand(op.getBytes()),
                             .result = operand(op.getResult())},
        "unpack");
  }

  llvm::Constant *describe(PlanOpInterface op, const std::string &name) {
    return constants.global(
        Zrt<zrt_copy_desc>{.name = constants.string(name),
                           .source = operand(op->getOperand(0)),
                           .result = operand(op->getResult(0))},
        "copy");
  }

  llvm::Constant *describe(CollectiveOpInterface op) {
    auto reduce = dyn_cast<ReduceScatterOp>(*op);
    auto all = dyn_cast<AllReduceOp>(*op);
    Type whole = op.getWhole().getType();
    auto shard = dyn_cast<ShardType>(whole);
    const int64_t elements =
        shard ? shard.getElements()
              : cast<RankedTensorType>(whole).getNumElements();
    return constants.global(
        Zrt<zrt_collective_desc>{
            .name = constants.string(nameOperation(op)),
            .kind = static_cast<uint32_t>(op.getKind()),
            .accumulate = reduce && reduce.getInto(),
            .elements =
                static_cast<uint64_t>(elements * getNumbersPerElement(whole)),
            .scale = op.getFactor(),
            .wire_bytes = static_cast<uint64_t>(getCost(op, symbols).wire),
            .source = operand(op->getOperand(0)),
            .result = operand(op->getResult(0)),
            .over = static_cast<uint32_t>(op.getRanksOver().value_or(Over(0))),
            .order = all && all.getBySlice() ? ZRT_IN_TREE_OF_SLICES
                     : (all && all.getTree()) || (reduce && reduce.getTree())
                         ? ZRT_IN_TREE
                         : ZRT_IN_RANK_ORDER},
        "collective");
  }

  llvm::Constant *describe(nn::MatmulOp op) {
    return constants.global(
        Zrt<zrt_matmul_desc>{
            .name = constants.string(nameOperation(op)),
            .trans_a = op.getTransposeA(),
            .trans_b = op.getTransposeB(),
            .has_bias = op.getBias() != nullptr,
            .accumulate = op.getInit() != nullptr,
            .batch = op.getBatch(),
            .m = op.getM(),
            .n = op.getN(),
            .k = op.getK(),
            .lda = getRowPitch(op.getA().getType()),
            .ldb = op.getPacked() ? 0 : getRowPitch(op.getB().getType()),
            .ldc = getRowPitch(op.getResult().getType()),
            .a = operand(op.getA()),
            .b = operand(op.getB()),
            .bias = operand(op.getBias()),
            .c = operand(op.getResult()),
            .scale = op.getFactor(),
            .packing =
                static_cast<uint32_t>(op.getPacking().value_or(Packing(0)))},
        "matmul");
  }

  /// y = x W[g], or W[g] = x^T y.
  llvm::Constant *describeGrouped(Operation *op, Value x, Value y,
                                  Value offsets, ValueRange w, bool transW,
                                  bool sums) {
    auto ofX = cast<RankedTensorType>(x.getType()),
         ofY = cast<RankedTensorType>(y.getType());
    return constants.global(
        Zrt<zrt_grouped_desc>{.name = constants.string(nameOperation(op)),
                              .sums = sums,
                              .trans_w = transW,
                              .groups = static_cast<uint32_t>(w.size()),
                              .rows = ofX.getDimSize(0),
                              .n = ofY.getDimSize(1),
                              .k = ofX.getDimSize(1),
                              .x = operand(x),
                              .y = operand(y),
                              .offsets = operand(offsets),
                              .w = operands.getOperands(current, w)},
        "grouped");
  }
  llvm::Constant *describe(nn::GroupedMatmulOp op) {
    return describeGrouped(op, op.getX(), op.getResult(), op.getOffsets(),
                           op.getWeights(), !op.getTransposed(),
                           /*sums=*/false);
  }
  llvm::Constant *describe(nn::GroupedMatmulBackwardOp op) {
    return describeGrouped(op, op.getA(), op.getB(), op.getOffsets(),
                           op.getResults(), /*transW=*/false, /*sums=*/true);
  }

  llvm::Constant *describe(PlanOpInterface op, KernelOp kernel) {
    Dispatch dispatch = getDispatch(kernel);
    SmallVector<Value> arguments = getKernelArguments(op);
    // A kernel that no launch names is called by its operation.
    std::string name = isa<LaunchOp, AccumulateOp>(op) || op.getBucketRef()
                           ? nameOperation(op)
                           : kernel.getSymName().str();
    int64_t units = dispatch.extent;
    if (!units) { // all elements
      Type type = arguments.front().getType();
      units = getByteSize(type) / getElementBytes(type);
    }
    return constants.global(
        Zrt<zrt_launch_desc>{.name = constants.string(name),
                             .fn = constants.kernel(kernel.getSymName()),
                             .units = units,
                             .grain = dispatch.grain,
                             .arg_count =
                                 static_cast<uint32_t>(arguments.size()),
                             .args = operands.getOperands(current, arguments)},
        "launch");
  }

  /// Operands come first among a kernel's arguments; the random bits are the
  /// last.
  static uint32_t getRoundingOperand(UpdateOp op) {
    return op.getRounding() ? op->getNumOperands() - 1 : 0;
  }

  /// The number of the master, which follows the slots; 0 without one.
  static uint32_t getMasterOperand(UpdateOp op) {
    return op.getMaster() ? op.getGradMutable().getOperandNumber() +
                                uint32_t(op.getSlots().size()) + 1
                          : 0;
  }

  llvm::Constant *describe(UpdateOp op, KernelOp plain, KernelOp decayed) {
    SmallVector<Value> arguments = getKernelArguments(op);
    return constants.global(
        Zrt<zrt_update_desc>{.name = constants.string(nameOperation(op)),
                             .bucket = operands.getBucket(op.getBucketAttr()),
                             .arg_count =
                                 static_cast<uint32_t>(arguments.size()),
                             .plain = constants.kernel(plain.getSymName()),
                             .decayed = constants.kernel(decayed.getSymName()),
                             .args = operands.getOperands(current, arguments),
                             .rounding = getRoundingOperand(op),
                             .gradient = op.getGradMutable().getOperandNumber(),
                             .master = getMasterOperand(op)},
        "update");
  }
};

} // namespace

Zrt<zrt_program> zero::tabulate(ProgramOp program, ArrayRef<Stream> streams,
                                PlanOperands &operands) {
  return ProgramTable(streams, operands).build(program);
}
