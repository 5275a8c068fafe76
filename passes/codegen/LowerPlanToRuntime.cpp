//===- LowerPlanToRuntime.cpp - The step as tables of zrt -----------------===//
//
// Each program becomes a table: every operation that runs is an entry with its
// stream, its kind, and a constant descriptor, which names operands by tier,
// offset, type and extent.
//
//   %2 = zero.all_gather @b0 %1 {stream = gather}     {COLLECTIVE, 1, &gather}
//   zero.record %e on gather                     =>   {RECORD,     1, &event}
//   zero.wait %e on compute                           {WAIT,       0, &event}
//   %3 = zero.launch @layer_norm(%2, ...)             {LAUNCH,     0, &launch}
//
// The streams of a plan are `compute` and those that its operations name.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/LowerPlanToRuntime.h"

#include "passes/codegen/ZrtStructs.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/Cost.h"
#include "dialect/zero/InputBound.h"
#include "dialect/zero/Locations.h"
#include "dialect/zero/PlanPrograms.h"
#include "dialect/zero/Storage.h"
#include "mlir/Support/DebugStringHelper.h"
#include "passes/plan/Passes.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/LLVMContext.h"

#include <map>

using namespace mlir;
using namespace mlir::zero;

namespace {

/// One of runtime/ElementTypes.def.
struct ElementType {
  uint32_t number;
  StringRef spelling;
  uint64_t bytes;
};
constexpr ElementType kElementTypes[] = {
#define ZRT_ELEMENT_TYPE(NUMBER, NAME, SPELLING, BYTES)                        \
  {NUMBER, #SPELLING, BYTES},
#include "runtime/ElementTypes.def"
};

int64_t intOf(ModuleOp plan, StringRef name, int64_t otherwise) {
  auto attr = plan->getAttrOfType<IntegerAttr>(name);
  return attr ? attr.getInt() : otherwise;
}

uint32_t extentOf(PlanOpInterface op, Value value) {
  const Extent held =
      getTypeExtent(value.getType(), op.getBucketRef() != nullptr);
  switch (op.getExtent(value)) {
  case Extent::Scalar:
    return ZRT_SCALAR;
  case Extent::None: // overwritten: all that is held
  case Extent::Members:
    return ZRT_MEMBERS;
  case Extent::Whole:
    return ZRT_WHOLE;
  case Extent::Slice:
    return held == Extent::Slice ? ZRT_SLICE : ZRT_SLICE_OF_WHOLE;
  }
  llvm_unreachable("an extent of no kind");
}

class PlanLowering {
public:
  PlanLowering(ModuleOp plan, const LaunchMap &launches, llvm::Module &out,
               const PlanInfo &info)
      : plan(plan), step(plan.lookupSymbol<ProgramOp>("step")),
        launches(launches), out(out), info(info), constants(out) {}

  LogicalResult run();

private:
  ModuleOp plan;
  ProgramOp step;
  const LaunchMap &launches;
  llvm::Module &out;
  const PlanInfo &info;
  ZrtConstants constants;
  DenseMap<Attribute, uint32_t> bucketIndex;
  std::map<Stream, uint32_t> streamIndex; ///< in the order of the enumeration
  SymbolTableCollection symbols;
  DenseMap<Type, ElementType> elementTypes;
  bool isBroken = false;

  //===--------------------------------------------------------------------===//
  // Operands
  //===--------------------------------------------------------------------===//

  /// What `value` holds; an error where plans cannot hold it.
  ElementType elementOf(Value value) {
    Type type = getElementType(value.getType());
    auto [known, isNew] = elementTypes.try_emplace(type, kElementTypes[0]);
    if (!isNew)
      return known->second;
    std::string spelling = debugString(type);
    for (const ElementType &one : kElementTypes)
      if (one.spelling == spelling)
        return known->second = one;
    isBroken = true;
    InFlightDiagnostic error = mlir::emitError(value.getLoc())
                               << "plans hold no elements of type " << type
                               << "; they hold ";
    llvm::interleaveComma(kElementTypes, error, [&](const ElementType &one) {
      error << one.spelling;
    });
    return known->second;
  }

  Zrt<zrt_ref> ref(Value value) {
    BytesAttr bytes = bytesOf(value);
    return {.tier = static_cast<uint32_t>(bytes.getTier()),
            .offset = static_cast<uint64_t>(bytes.getOffset()),
            .bytes = static_cast<uint64_t>(bytes.getSize())};
  }
  /// An operand that is missing is all zeros.
  Zrt<zrt_operand> operand(PlanOpInterface op, Value value) {
    if (!value)
      return {};
    return {.ref = ref(value),
            .dtype = elementOf(value).number,
            .extent = extentOf(op, value)};
  }
  llvm::Constant *operands(PlanOpInterface op, ValueRange values) {
    return constants.array<Zrt<zrt_operand>>(llvm::map_to_vector(
        values, [&](Value value) { return operand(op, value); }));
  }

  //===--------------------------------------------------------------------===//
  // Programs
  //===--------------------------------------------------------------------===//

  /// The streams of all programs, numbered.
  llvm::Constant *streams() {
    streamIndex[Stream::Compute];
    for (ProgramOp program : findPrograms(plan))
      for (Operation &op : program.front())
        if (isEntry(&op))
          streamIndex[getStream(&op)];
    SmallVector<Zrt<zrt_stream_desc>> list;
    for (auto &[stream, number] : streamIndex) {
      number = list.size();
      list.push_back({.name = constants.string(stringifyStream(stream)),
                      .stream_class = static_cast<uint32_t>(stream)});
    }
    return constants.array<Zrt<zrt_stream_desc>>(list);
  }

  static bool isEntry(Operation *op) {
    auto planned = dyn_cast<PlanOpInterface>(op);
    return isa<RecordOp, WaitOp>(op) || (planned && !planned.movesNothing());
  }

  /// The zrt_program of that name; an empty one if there is none.
  Zrt<zrt_program> program(StringRef name) {
    auto function = plan.lookupSymbol<ProgramOp>(name);
    if (!function || function.isExternal())
      return {};
    DenseMap<Value, uint32_t> events;
    SmallVector<Zrt<zrt_op>> table;
    for (Operation &op : function.front())
      if (isEntry(&op)) {
        auto [kind, descriptor] = describe(&op, events);
        table.push_back({.kind = kind,
                         .stream = streamIndex.at(getStream(&op)),
                         .descriptor = descriptor});
      }
    return {.ops = constants.array<Zrt<zrt_op>>(table),
            .op_count = table.size(),
            .event_count = static_cast<uint32_t>(events.size())};
  }

  /// What the table says of one operation.
  struct Entry {
    uint32_t kind = ZRT_KIND_COUNT;
    llvm::Constant *descriptor = nullptr;
  };

  Entry describe(Operation *op, DenseMap<Value, uint32_t> &events) {
    if (auto record = dyn_cast<RecordOp>(op)) {
      uint32_t number = events.size();
      events[record.getEvent()] = number;
      return {ZRT_RECORD, describeEvent(number)};
    }
    if (auto wait = dyn_cast<WaitOp>(op))
      return {ZRT_WAIT, describeEvent(events.lookup(wait.getEvent()))};
    if (auto matmul = dyn_cast<nn::MatmulOp>(op))
      return {ZRT_MATMUL, describe(matmul)};
    if (auto copy = dyn_cast<CopyOp>(op))
      return {ZRT_COPY, describe(copy)};
    if (auto squares = dyn_cast<SumSquaresOp>(op))
      return {ZRT_SQUARES, describe(squares)};
    if (auto exchange = dyn_cast<CollectiveOpInterface>(op))
      return {ZRT_COLLECTIVE, describe(exchange)};
    auto found = launches.find(op);
    if (found == launches.end()) {
      isBroken = true;
      op->emitOpError("has no lowering to the runtime");
      return {};
    }
    if (auto update = dyn_cast<UpdateOp>(op))
      return {ZRT_UPDATE, describe(update, found->second)};
    return {ZRT_LAUNCH, describe(cast<PlanOpInterface>(op), found->second)};
  }

  llvm::Constant *describeEvent(uint32_t number) {
    return constants.global(Zrt<zrt_event_desc>{.event = number}, "event");
  }

  llvm::Constant *describe(SumSquaresOp op) {
    return constants.global(
        Zrt<zrt_squares_desc>{
            .name = constants.string("sum_squares of " + op.getBucket().str()),
            .bucket = bucketIndex.lookup(op.getBucketAttr().getAttr()),
            .grad = operand(op, op.getFlat()),
            .partials = operand(op, op.getPartials())},
        "squares");
  }

  llvm::Constant *describe(CopyOp op) {
    return constants.global(
        Zrt<zrt_copy_desc>{.name = constants.string("copy"),
                           .source = operand(op, op.getSource()),
                           .result = operand(op, op.getResult())},
        "copy");
  }

  llvm::Constant *describe(CollectiveOpInterface op) {
    FlatSymbolRefAttr bucket = getBucketRef(op);
    std::string name = op->getName().stripDialect().str(),
                of = bucket ? bucket.getValue().str()
                            : getLocationName(op->getLoc()).str();
    if (!of.empty())
      name += " of " + of;
    auto reduce = dyn_cast<ReduceScatterOp>(*op);
    Value whole = op.getWhole();
    auto planned = cast<PlanOpInterface>(*op);
    return constants.global(
        Zrt<zrt_collective_desc>{
            .name = constants.string(name),
            .kind = isa<AllGatherOp>(op)       ? ZRT_ALL_GATHER
                    : isa<ReduceScatterOp>(op) ? ZRT_REDUCE_SCATTER
                                               : ZRT_ALL_REDUCE,
            .accumulate = reduce && reduce.getInto(),
            .elements = getByteSize(whole.getType()) / elementOf(whole).bytes,
            .scale = op.getFactor(),
            .wire_bytes = static_cast<uint64_t>(getCost(op, symbols).wire),
            .source = operand(planned, op->getOperand(0)),
            .result = operand(planned, op->getResult(0))},
        "collective");
  }

  llvm::Constant *describe(nn::MatmulOp op) {
    std::string label = getLocationName(op.getLoc()).str();
    StringRef last = StringRef(label).rsplit('.').second;
    label = last.empty() ? label : last.str();
    auto planned = cast<PlanOpInterface>(*op);
    return constants.global(
        Zrt<zrt_matmul_desc>{.name = constants.string(
                                 label.empty() ? "matmul" : "matmul." + label),
                             .trans_a = op.getTransposeA(),
                             .trans_b = op.getTransposeB(),
                             .has_bias = op.getBias() != nullptr,
                             .accumulate = op.getInit() != nullptr,
                             .batch = op.getBatch(),
                             .m = op.getM(),
                             .n = op.getN(),
                             .k = op.getK(),
                             .a = operand(planned, op.getA()),
                             .b = operand(planned, op.getB()),
                             .bias = operand(planned, op.getBias()),
                             .c = operand(planned, op.getResult())},
        "matmul");
  }

  /// The entry of a kernel, in kernels.o.
  llvm::Constant *entryOf(KernelOp kernel) {
    llvm::LLVMContext &context = out.getContext();
    llvm::Type *i64 = llvm::Type::getInt64Ty(context);
    auto *type = llvm::FunctionType::get(
        llvm::Type::getVoidTy(context),
        {llvm::PointerType::get(context, 0), i64, i64}, false);
    auto entry =
        out.getOrInsertFunction(("zk." + kernel.getSymName()).str(), type);
    return cast<llvm::Constant>(entry.getCallee());
  }

  llvm::Constant *describe(PlanOpInterface op, const PlanLaunch &launch) {
    KernelOp kernel = launch.kernel;
    Dispatch dispatch = getDispatch(kernel);
    return constants.global(
        Zrt<zrt_launch_desc>{
            .name = constants.string(kernel.getSymName()),
            .fn = entryOf(kernel),
            .units = launch.elements ? launch.elements : dispatch.extent,
            .grain = dispatch.grain,
            .arg_count = static_cast<uint32_t>(launch.args.size()),
            .args = operands(op, launch.args)},
        "launch");
  }

  llvm::Constant *describe(UpdateOp op, const PlanLaunch &launch) {
    std::string name = (op.getOptimizer() + " of " + op.getBucket()).str();
    return constants.global(
        Zrt<zrt_update_desc>{
            .name = constants.string(name),
            .bucket = bucketIndex.lookup(op.getBucketAttr().getAttr()),
            .arg_count = static_cast<uint32_t>(launch.args.size()),
            .plain = entryOf(launch.kernel),
            .decayed = entryOf(launch.decayed),
            .args = operands(op, launch.args)},
        "update");
  }

  //===--------------------------------------------------------------------===//
  // State, inputs, outputs
  //===--------------------------------------------------------------------===//

  static Zrt<zrt_init> init(Attribute init) {
    if (auto normal = dyn_cast<NormalAttr>(init))
      return {.kind = ZRT_INIT_NORMAL, .b = normal.getStd().convertToDouble()};
    if (auto uniform = dyn_cast<UniformAttr>(init))
      return {.kind = ZRT_INIT_UNIFORM,
              .a = uniform.getLow().convertToDouble(),
              .b = uniform.getHigh().convertToDouble()};
    return {.kind = ZRT_INIT_CONSTANT,
            .a = cast<ConstantAttr>(init).getValue().convertToDouble()};
  }

  SmallVector<Zrt<zrt_bucket>> buckets() {
    SmallVector<Zrt<zrt_bucket>> list;
    for (BucketOp bucket : plan.getOps<BucketOp>()) {
      SmallVector<Zrt<zrt_member>> members;
      for (auto member : bucket.getMembers().getAsRange<MemberAttr>())
        members.push_back(
            {.name = constants.string(member.getName()),
             .rank = static_cast<uint32_t>(member.getShape().size()),
             .decays = member.getDecay(),
             .shape = constants.array<int64_t>(member.getParameterShape()),
             .first = static_cast<uint64_t>(member.getFirstElement()),
             .offset = static_cast<uint64_t>(member.getOffset()),
             .count = static_cast<uint64_t>(member.getNumElements()),
             .init = init(member.getInit())});
      bucketIndex[bucket.getSymNameAttr()] = list.size();
      list.push_back({.name = constants.string(bucket.getSymName()),
                      .elements = static_cast<uint64_t>(bucket.getElements()),
                      .member_count = static_cast<uint32_t>(members.size()),
                      .members = constants.array<Zrt<zrt_member>>(members)});
    }
    return list;
  }

  SmallVector<Zrt<zrt_state>> states() {
    SmallVector<Zrt<zrt_state>> list;
    for (BlockArgument arg : step.getArguments())
      if (auto state =
              step.getState(arg.getArgNumber()))
        list.push_back(
            {.slot = constants.string(state.getSlot()),
             .bucket = bucketIndex.lookup(state.getBucket().getAttr()),
             .dtype = elementOf(arg).number,
             .sharded = cast<ShardType>(arg.getType()).getRanks() > 1,
             .ref = ref(arg)});
    return list;
  }

  SmallVector<Zrt<zrt_input>> inputs() {
    SmallVector<Zrt<zrt_input>> list;
    for (BlockArgument arg : step.getArguments()) {
      unsigned i = arg.getArgNumber();
      auto name = step.getInput(i);
      if (!name)
        name = step.getScalar(i);
      if (!name)
        continue;
      auto type = cast<RankedTensorType>(arg.getType());
      InputBound bound = getInputBound(step, i);
      list.push_back({.name = constants.string(name),
                      .dtype = elementOf(arg).number,
                      .rank = static_cast<uint32_t>(type.getRank()),
                      .shape = constants.array<int64_t>(type.getShape()),
                      .ref = ref(arg),
                      .bound = bound.vocab,
                      .ignored = bound.ignored});
    }
    return list;
  }

  /// An output of several programs has the same bytes in all of them.
  SmallVector<Zrt<zrt_output>> outputs() {
    SmallVector<Zrt<zrt_output>> list;
    llvm::StringSet<> names;
    for (StringRef program : kPrograms) {
      auto function = plan.lookupSymbol<ProgramOp>(program);
      if (!function || function.isExternal())
        continue;
      Operation *returned = function.front().getTerminator();
      for (OpOperand &value : returned->getOpOperands())
        if (auto name = function.getOutput(value.getOperandNumber()))
          if (names.insert(name).second)
            list.push_back({.name = constants.string(name),
                            .dtype = elementOf(value.get()).number,
                            .ref = ref(value.get())});
    }
    return list;
  }
};

} // namespace

LogicalResult PlanLowering::run() {
  auto bucketList = buckets();
  auto stateList = states();
  auto inputList = inputs();
  auto outputList = outputs();
  SmallVector<Zrt<zrt_category>> categories;
  for (auto &[name, bytes] : info.categories)
    categories.push_back({.name = constants.string(name), .bytes = bytes});
  llvm::Constant *streamTable = streams();
  ArrayRef<int64_t> arena =
      plan->getAttrOfType<DenseI64ArrayAttr>(kArenaAttr).asArrayRef();

  Zrt<zrt_plan> compiled = {
      .abi_version = ZRT_ABI_VERSION,
      .world_size = static_cast<uint32_t>(getNumRanks(plan)),
      .stage = static_cast<uint32_t>(intOf(plan, kStageAttr, 0)),
      .accumulate = static_cast<uint32_t>(intOf(plan, kMicroStepsAttr, 1)),
      .model = constants.string(info.model),
      .options = constants.string(info.options),
      .cpu = constants.string(info.cpu),
      .features = constants.string(info.features),
      .exported_begin =
          static_cast<uint64_t>(intOf(plan, kExportedAttr, arena[0])),
      .stream_count = static_cast<uint32_t>(streamIndex.size()),
      .bucket_count = static_cast<uint32_t>(bucketList.size()),
      .state_count = static_cast<uint32_t>(stateList.size()),
      .input_count = static_cast<uint32_t>(inputList.size()),
      .output_count = static_cast<uint32_t>(outputList.size()),
      .category_count = static_cast<uint32_t>(categories.size()),
      .streams = streamTable,
      .buckets = constants.array<Zrt<zrt_bucket>>(bucketList),
      .states = constants.array<Zrt<zrt_state>>(stateList),
      .inputs = constants.array<Zrt<zrt_input>>(inputList),
      .outputs = constants.array<Zrt<zrt_output>>(outputList),
      .categories = constants.array<Zrt<zrt_category>>(categories)};
  llvm::copy(arena, compiled.arena_bytes.begin());
  llvm::transform(kPrograms, compiled.programs.begin(),
                  [&](StringRef name) { return program(name); });
  constants.global(compiled, "zrt_compiled_plan", /*exported=*/true);
  return success(!isBroken);
}

std::unique_ptr<llvm::Module>
zero::lowerPlanToRuntime(ModuleOp plan, const LaunchMap &launches,
                         llvm::LLVMContext &context, const PlanInfo &info) {
  auto module = std::make_unique<llvm::Module>("plan", context);
  if (failed(PlanLowering(plan, launches, *module, info).run()))
    return nullptr;
  return module;
}
