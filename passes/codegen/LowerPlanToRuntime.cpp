//===- LowerPlanToRuntime.cpp - The step as calls of zrt ------------------===//
//
// Each program becomes a function of one block: every operation that runs is a
// call with a constant descriptor, which names bytes by tier and offset.
// Errors are latched in the context, so no status is tested on the way and the
// last one is returned.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/LowerPlanToRuntime.h"

#include "passes/codegen/ZrtStructs.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/Cost.h"
#include "dialect/zero/InputBound.h"
#include "dialect/zero/Locations.h"
#include "dialect/zero/Storage.h"
#include "mlir/Support/DebugStringHelper.h"
#include "passes/plan/Passes.h"
#include "runtime/zrt.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"

#include <cstddef>

using namespace mlir;
using namespace mlir::zero;

//===----------------------------------------------------------------------===//
// Constants below give the fields of zrt.h's structs by position.  Their sizes
// are checked where they are built (ZrtStructs.cpp); this is their order.
//===----------------------------------------------------------------------===//

namespace {
constexpr bool ascending(std::initializer_list<size_t> offsets) {
  for (const size_t *at = offsets.begin() + 1; at < offsets.end(); ++at)
    if (at[0] <= at[-1])
      return false;
  return true;
}
} // namespace

#define AT(field) offsetof(STRUCT, field)
#define STRUCT zrt_launch_desc
static_assert(ascending({AT(name), AT(fn), AT(extent), AT(grain), AT(arg_count),
                         AT(reserved), AT(args)}));
#undef STRUCT
#define STRUCT zrt_matmul_desc
static_assert(ascending({AT(name), AT(dtype), AT(trans_a), AT(trans_b),
                         AT(has_bias), AT(accumulate), AT(reserved), AT(batch),
                         AT(m), AT(n), AT(k), AT(a), AT(b), AT(bias), AT(c)}));
#undef STRUCT
#define STRUCT zrt_update_desc
static_assert(ascending({AT(name), AT(bucket), AT(sliced), AT(plain),
                         AT(decayed), AT(arg_count), AT(reserved), AT(args)}));
#undef STRUCT
#define STRUCT zrt_squares_desc
static_assert(ascending({AT(name), AT(bucket), AT(reserved), AT(grad),
                         AT(partials)}));
#undef STRUCT
#define STRUCT zrt_collective_desc
static_assert(ascending({AT(name), AT(kind), AT(dtype), AT(elements), AT(scale),
                         AT(accumulate), AT(reserved), AT(wire_bytes),
                         AT(source), AT(result)}));
#undef STRUCT
#define STRUCT zrt_program
static_assert(ascending({AT(run), AT(event_count), AT(collective_count),
                         AT(collectives)}));
#undef STRUCT
#define STRUCT zrt_member
static_assert(ascending({AT(name), AT(rank), AT(decays), AT(shape), AT(first),
                         AT(offset), AT(count), AT(init)}));
#undef STRUCT
#define STRUCT zrt_bucket
static_assert(ascending({AT(name), AT(elements), AT(member_count), AT(reserved),
                         AT(members)}));
#undef STRUCT
#define STRUCT zrt_state
static_assert(ascending({AT(slot), AT(bucket), AT(dtype), AT(sharded),
                         AT(reserved), AT(ref)}));
#undef STRUCT
#define STRUCT zrt_input
static_assert(ascending({AT(name), AT(dtype), AT(rank), AT(shape), AT(ref),
                         AT(bound), AT(ignored)}));
#undef STRUCT
#define STRUCT zrt_output
static_assert(ascending({AT(name), AT(dtype), AT(reserved), AT(ref)}));
#undef STRUCT
#define STRUCT zrt_category
static_assert(ascending({AT(name), AT(bytes)}));
#undef STRUCT
#define STRUCT zrt_plan
static_assert(ascending({AT(abi_version),
                         AT(world_size),
                         AT(stage),
                         AT(accumulate),
                         AT(model),
                         AT(options),
                         AT(cpu),
                         AT(features),
                         AT(arena_bytes),
                         AT(exported_begin),
                         AT(bucket_count),
                         AT(state_count),
                         AT(input_count),
                         AT(output_count),
                         AT(category_count),
                         AT(reserved),
                         AT(buckets),
                         AT(states),
                         AT(inputs),
                         AT(outputs),
                         AT(categories),
                         AT(programs)}));
#undef STRUCT
#undef AT

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

class PlanLowering {
public:
  PlanLowering(ModuleOp plan, const LaunchMap &launches, llvm::Module &out,
               const PlanInfo &info)
      : plan(plan), step(plan.lookupSymbol<func::FuncOp>("step")),
        launches(launches), out(out), info(info), constants(out),
        b(out.getContext()) {}

  LogicalResult run() {
    SmallVector<llvm::Constant *> bucketList = buckets(), programs;
    for (StringRef name : kPrograms)
      programs.push_back(program(name));
    lowerMetadata(bucketList, programs);
    return success(!isBroken);
  }

private:
  ModuleOp plan;
  func::FuncOp step;
  const LaunchMap &launches;
  llvm::Module &out;
  const PlanInfo &info;
  ZrtConstants constants;
  llvm::IRBuilder<> b;
  DenseMap<Attribute, uint32_t> bucketIndex;
  SymbolTableCollection symbols;
  SmallVector<llvm::Constant *> outputs;
  llvm::StringSet<> outputNames;
  DenseMap<Type, ElementType> elementTypes;
  bool isBroken = false;

  /// What `value` holds; an error where plans cannot hold it.
  const ElementType &elementOf(Value value) {
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
  llvm::Constant *dtypeOf(Value value) {
    return constants.i32(elementOf(value).number);
  }

  llvm::Value *call(StringRef name, ArrayRef<llvm::Value *> args) {
    SmallVector<llvm::Type *> types;
    for (llvm::Value *arg : args)
      types.push_back(arg->getType());
    auto *type = llvm::FunctionType::get(b.getInt32Ty(), types, false);
    return b.CreateCall(out.getOrInsertFunction(name, type), args);
  }

  llvm::Constant *ref(Value value) {
    return constants.ref(value ? bytesOf(value) : BytesAttr());
  }

  /// The zrt_program of that name; one without a function if there is none.
  llvm::Constant *program(StringRef name) {
    auto function = plan.lookupSymbol<func::FuncOp>(name);
    SmallVector<llvm::Constant *> collectives;
    DenseMap<Value, uint32_t> events;
    llvm::Constant *code = llvm::ConstantPointerNull::get(
        llvm::PointerType::get(out.getContext(), 0));
    if (function && !function.isExternal()) {
      code = lowerProgram(function, events, collectives);
      collectOutputs(function);
    }
    return constants.structure({code, constants.i32(events.size()),
                                constants.i32(collectives.size()),
                                constants.array(collectives)},
                               sizeof(zrt_program));
  }

  llvm::Function *lowerProgram(func::FuncOp function,
                               DenseMap<Value, uint32_t> &events,
                               SmallVectorImpl<llvm::Constant *> &collectives) {
    auto *type = llvm::FunctionType::get(b.getInt32Ty(), {b.getPtrTy()}, false);
    auto *code =
        llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage,
                               "zrt_plan_" + function.getName(), out);
    b.SetInsertPoint(llvm::BasicBlock::Create(out.getContext(), "", code));
    llvm::Value *ctx = code->getArg(0), *last = b.getInt32(0);
    for (Operation &op : function.front()) {
      llvm::Value *stream = b.getInt32(static_cast<uint32_t>(getStream(&op)));
      if (auto matmul = dyn_cast<nn::MatmulOp>(op)) {
        last = call("zrt_matmul", {ctx, stream, describe(matmul)});
      } else if (auto copy = dyn_cast<CopyOp>(op)) {
        last =
            call("zrt_copy",
                 {ctx, stream, constants.global(ref(copy.getSource()), "ref"),
                  constants.global(ref(copy.getResult()), "ref")});
      } else if (auto squares = dyn_cast<SumSquaresOp>(op)) {
        last = call("zrt_sum_squares", {ctx, stream, describe(squares)});
      } else if (isCollective(&op)) {
        collectives.push_back(describeCollective(&op));
        last = call("zrt_collective", {ctx, stream, collectives.back()});
      } else if (auto record = dyn_cast<RecordOp>(op)) {
        uint32_t number = events.size();
        events[record.getEvent()] = number;
        last = call("zrt_record", {ctx, stream, b.getInt32(number)});
      } else if (auto wait = dyn_cast<WaitOp>(op)) {
        last = call("zrt_wait",
                    {ctx, stream, b.getInt32(events.lookup(wait.getEvent()))});
      } else if (auto found = launches.find(&op); found != launches.end()) {
        auto update = dyn_cast<UpdateOp>(op);
        last = update
                   ? call("zrt_update",
                          {ctx, stream, describe(update, found->second)})
                   : call("zrt_launch", {ctx, stream, describe(found->second)});
      }
    }
    b.CreateRet(last);
    return code;
  }

  llvm::Constant *describe(SumSquaresOp op) {
    return constants.global(
        constants.structure(
            {constants.string(("sum_squares of " + op.getBucket()).str()),
             constants.i32(bucketIndex.lookup(op.getBucketAttr().getAttr())),
             constants.i32(0), ref(op.getFlat()), ref(op.getPartials())},
            sizeof(zrt_squares_desc)),
        "squares");
  }

  llvm::Constant *describeCollective(Operation *op) {
    auto exchange = cast<CollectiveOpInterface>(op);
    uint32_t kind = isa<AllGatherOp>(op)       ? ZRT_ALL_GATHER
                    : isa<ReduceScatterOp>(op) ? ZRT_REDUCE_SCATTER
                                               : ZRT_ALL_REDUCE;
    FlatSymbolRefAttr bucket = getBucketRef(op);
    std::string name = op->getName().stripDialect().str(),
                of = bucket ? bucket.getValue().str()
                            : getLocationName(op->getLoc()).str();
    if (!of.empty())
      name += " of " + of;
    auto reduce = dyn_cast<ReduceScatterOp>(op);
    Value whole = exchange.getWhole();
    uint64_t elements = getByteSize(whole.getType()) / elementOf(whole).bytes;
    return constants.global(
        constants.structure(
            {constants.string(name), constants.i32(kind), dtypeOf(whole),
             constants.i64(elements), constants.f64(exchange.getFactor()),
             constants.i32(reduce && reduce.getInto()), constants.i32(0),
             constants.i64(getCost(op, symbols).wire), ref(op->getOperand(0)),
             ref(op->getResult(0))},
            sizeof(zrt_collective_desc)),
        "collective");
  }

  llvm::Constant *describe(nn::MatmulOp op) {
    std::string label = getLocationName(op.getLoc()).str();
    StringRef last = StringRef(label).rsplit('.').second;
    label = last.empty() ? label : last.str();
    return constants.global(
        constants.structure(
            {constants.string(label.empty() ? "matmul" : "matmul." + label),
             dtypeOf(op.getResult()), constants.i32(op.getTransposeA()),
             constants.i32(op.getTransposeB()),
             constants.i32(op.getBias() != nullptr),
             constants.i32(op.getInit() != nullptr), constants.i32(0),
             constants.i64(op.getBatch()), constants.i64(op.getM()),
             constants.i64(op.getN()), constants.i64(op.getK()),
             constants.ref(bytesOf(op.getA())),
             constants.ref(bytesOf(op.getB())),
             constants.ref(op.getBias() ? bytesOf(op.getBias()) : BytesAttr()),
             constants.ref(bytesOf(op.getResult()))},
            sizeof(zrt_matmul_desc)),
        "matmul");
  }

  /// The entry of a kernel, in kernels.o.
  llvm::Constant *entryOf(func::FuncOp kernel) {
    llvm::Type *i64 = b.getInt64Ty();
    auto *type =
        llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), i64, i64}, false);
    auto entry =
        out.getOrInsertFunction(("zk." + kernel.getSymName()).str(), type);
    return cast<llvm::Constant>(entry.getCallee());
  }

  llvm::Constant *refs(ArrayRef<BytesAttr> args) {
    SmallVector<llvm::Constant *> list;
    for (BytesAttr bytes : args)
      list.push_back(constants.ref(bytes));
    return constants.array(list);
  }

  llvm::Constant *describe(const PlanLaunch &launch) {
    func::FuncOp kernel = launch.kernel;
    Dispatch dispatch = getDispatch(kernel);
    return constants.global(
        constants.structure(
            {constants.string(kernel.getSymName()), entryOf(kernel),
             constants.i64(launch.elements ? launch.elements : dispatch.extent),
             constants.i64(dispatch.grain), constants.i32(launch.args.size()),
             constants.i32(0), refs(launch.args)},
            sizeof(zrt_launch_desc)),
        "launch");
  }

  llvm::Constant *describe(UpdateOp op, const PlanLaunch &launch) {
    std::string name = (op.getOptimizer() + " of " + op.getBucket()).str();
    return constants.global(
        constants.structure(
            {constants.string(name),
             constants.i32(bucketIndex.lookup(op.getBucketAttr().getAttr())),
             constants.i32(op.isSliced()), entryOf(launch.kernel),
             entryOf(launch.decayed), constants.i32(launch.args.size()),
             constants.i32(0), refs(launch.args)},
            sizeof(zrt_update_desc)),
        "update");
  }

  //===--------------------------------------------------------------------===//
  // zrt_compiled_plan
  //===--------------------------------------------------------------------===//

  SmallVector<llvm::Constant *> buckets() {
    SmallVector<llvm::Constant *> list;
    for (BucketOp bucket : plan.getOps<BucketOp>()) {
      SmallVector<llvm::Constant *> members;
      for (auto member : bucket.getMembers().getAsRange<MemberAttr>())
        members.push_back(
            constants.structure({constants.string(member.getName()),
                                 constants.i32(member.getShape().size()),
                                 constants.i32(member.getDecay()),
                                 constants.shape(member.getParameterShape()),
                                 constants.i64(member.getFirstElement()),
                                 constants.i64(member.getOffset()),
                                 constants.i64(member.getNumElements()),
                                 constants.init(member.getInit())},
                                sizeof(zrt_member)));
      bucketIndex[bucket.getSymNameAttr()] = list.size();
      list.push_back(constants.structure(
          {constants.string(bucket.getSymName()),
           constants.i64(bucket.getElements()), constants.i32(members.size()),
           constants.i32(0), constants.array(members)},
          sizeof(zrt_bucket)));
    }
    return list;
  }

  /// An output of several programs has the same bytes in all of them.
  void collectOutputs(func::FuncOp function) {
    Operation *returned = function.getBody().front().getTerminator();
    for (OpOperand &value : returned->getOpOperands())
      if (auto name = function.getResultAttrOfType<StringAttr>(
              value.getOperandNumber(), kOutputAttr))
        if (outputNames.insert(name).second)
          outputs.push_back(
              constants.structure({constants.string(name), dtypeOf(value.get()),
                                   constants.i32(0), ref(value.get())},
                                  sizeof(zrt_output)));
  }

  void lowerMetadata(ArrayRef<llvm::Constant *> bucketList,
                     ArrayRef<llvm::Constant *> programs) {
    SmallVector<llvm::Constant *> states, inputs, categories;
    for (BlockArgument arg : step.getArguments()) {
      unsigned i = arg.getArgNumber();
      if (auto state = step.getArgAttrOfType<StateAttr>(i, kStateAttr)) {
        states.push_back(constants.structure(
            {constants.string(state.getSlot()),
             constants.i32(bucketIndex.lookup(state.getBucket().getAttr())),
             dtypeOf(arg),
             constants.i32(cast<ShardType>(arg.getType()).getRanks() > 1),
             constants.i32(0), constants.ref(bytesOf(arg))},
            sizeof(zrt_state)));
        continue;
      }
      auto name = step.getArgAttrOfType<StringAttr>(i, kInputAttr);
      if (!name)
        name = step.getArgAttrOfType<StringAttr>(i, kScalarAttr);
      auto type = cast<RankedTensorType>(arg.getType());
      InputBound bound = getInputBound(step, i);
      inputs.push_back(constants.structure(
          {constants.string(name), dtypeOf(arg), constants.i32(type.getRank()),
           constants.shape(type.getShape()), constants.ref(bytesOf(arg)),
           constants.i64(bound.vocab), constants.i64(bound.ignored)},
          sizeof(zrt_input)));
    }
    for (auto &[name, bytes] : info.categories)
      categories.push_back(
          constants.structure({constants.string(name), constants.i64(bytes)},
                              sizeof(zrt_category)));
    int64_t ranks = 1;
    for (AxisOp axis : plan.getOps<AxisOp>())
      ranks *= axis.getSize();
    ArrayRef<int64_t> arena =
        plan->getAttrOfType<DenseI64ArrayAttr>(kArenaAttr).asArrayRef();
    llvm::Constant *arenas = llvm::ConstantArray::get(
        llvm::ArrayType::get(b.getInt64Ty(), ZRT_TIER_COUNT),
        {constants.i64(arena[0]), constants.i64(arena[1]),
         constants.i64(arena[2])});
    llvm::Constant *compiled = constants.structure(
        {constants.i32(ZRT_ABI_VERSION),
         constants.i32(ranks),
         constants.i32(intOf(plan, kStageAttr, 0)),
         constants.i32(intOf(plan, kMicroStepsAttr, 1)),
         constants.string(info.model),
         constants.string(info.options),
         constants.string(info.cpu),
         constants.string(info.features),
         arenas,
         constants.i64(intOf(plan, kExportedAttr, arena[0])),
         constants.i32(bucketList.size()),
         constants.i32(states.size()),
         constants.i32(inputs.size()),
         constants.i32(outputs.size()),
         constants.i32(categories.size()),
         constants.i32(0),
         constants.array(bucketList),
         constants.array(states),
         constants.array(inputs),
         constants.array(outputs),
         constants.array(categories),
         llvm::ConstantArray::get(
             llvm::ArrayType::get(programs.front()->getType(),
                                  ZRT_PROGRAM_COUNT),
             programs)},
        sizeof(zrt_plan));
    constants.global(compiled, "zrt_compiled_plan", /*exported=*/true);
  }
};

} // namespace

std::unique_ptr<llvm::Module>
zero::lowerPlanToRuntime(ModuleOp plan, const LaunchMap &launches,
                         llvm::LLVMContext &context, const PlanInfo &info) {
  auto module = std::make_unique<llvm::Module>("plan", context);
  if (failed(PlanLowering(plan, launches, *module, info).run()))
    return nullptr;
  return module;
}
