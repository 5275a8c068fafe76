//===- LowerPlanToRuntime.cpp - The step as calls of zrt ------------------===//
//
// @step becomes a function of one block: every operation that runs is a call
// with a constant descriptor, which names bytes by tier and offset.  Errors are
// latched in the context, so no status is tested on the way and the last one is
// returned.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/LowerPlanToRuntime.h"

#include "passes/codegen/ZrtStructs.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/Storage.h"
#include "runtime/zrt.h"
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
#define STRUCT zrt_member
static_assert(ascending({AT(name), AT(rank), AT(decays), AT(shape), AT(offset),
                         AT(count), AT(init)}));
#undef STRUCT
#define STRUCT zrt_bucket
static_assert(ascending({AT(name), AT(elements), AT(member_count), AT(reserved),
                         AT(members)}));
#undef STRUCT
#define STRUCT zrt_state
static_assert(ascending({AT(slot), AT(bucket), AT(dtype), AT(ref)}));
#undef STRUCT
#define STRUCT zrt_input
static_assert(ascending({AT(name), AT(dtype), AT(rank), AT(shape), AT(ref)}));
#undef STRUCT
#define STRUCT zrt_output
static_assert(ascending({AT(name), AT(dtype), AT(reserved), AT(ref)}));
#undef STRUCT
#define STRUCT zrt_category
static_assert(ascending({AT(name), AT(bytes)}));
#undef STRUCT
#define STRUCT zrt_plan
static_assert(ascending(
    {AT(abi_version), AT(world_size),  AT(model),        AT(options),
     AT(cpu),         AT(features),    AT(batch),        AT(seq),
     AT(vocab),       AT(arena_bytes), AT(event_count),  AT(bucket_count),
     AT(state_count), AT(input_count), AT(output_count), AT(category_count),
     AT(buckets),     AT(states),      AT(inputs),       AT(outputs),
     AT(categories),  AT(step)}));
#undef STRUCT
#undef AT

namespace {

uint32_t dtypeOf(Type type) {
  Type element = isa<ShardType>(type) ? cast<ShardType>(type).getElementType()
                                      : getElementTypeOrSelf(type);
  if (element.isF32())
    return ZRT_F32;
  if (element.isF64())
    return ZRT_F64;
  return element.isInteger(32) ? ZRT_I32 : ZRT_I64;
}

/// The name of a location, for profiles; empty if it has none.
std::string nameOf(Location loc) {
  std::string name;
  loc->walk([&](Location at) {
    auto named = dyn_cast<NameLoc>(at);
    if (named)
      name = named.getName().str();
    return named ? WalkResult::interrupt() : WalkResult::advance();
  });
  return name;
}

class PlanLowering {
public:
  PlanLowering(ModuleOp plan, const LaunchMap &launches, llvm::Module &out,
               const PlanInfo &info)
      : plan(plan), step(plan.lookupSymbol<func::FuncOp>("step")),
        launches(launches), out(out), info(info), constants(out),
        b(out.getContext()) {}

  void run() {
    lowerStep();
    lowerMetadata();
  }

private:
  ModuleOp plan;
  func::FuncOp step;
  const LaunchMap &launches;
  llvm::Module &out;
  const PlanInfo &info;
  ZrtConstants constants;
  llvm::IRBuilder<> b;
  llvm::Function *stepFunction = nullptr;
  DenseMap<Value, uint32_t> events;
  DenseMap<Attribute, uint32_t> bucketIndex;

  llvm::Value *call(StringRef name, ArrayRef<llvm::Value *> args) {
    SmallVector<llvm::Type *> types;
    for (llvm::Value *arg : args)
      types.push_back(arg->getType());
    auto *type = llvm::FunctionType::get(b.getInt32Ty(), types, false);
    return b.CreateCall(out.getOrInsertFunction(name, type), args);
  }

  void lowerStep() {
    auto *type = llvm::FunctionType::get(b.getInt32Ty(), {b.getPtrTy()}, false);
    stepFunction = llvm::Function::Create(
        type, llvm::GlobalValue::ExternalLinkage, "zrt_plan_step", out);
    b.SetInsertPoint(
        llvm::BasicBlock::Create(out.getContext(), "", stepFunction));
    llvm::Value *ctx = stepFunction->getArg(0), *last = b.getInt32(0);
    for (Operation &op : step.getBody().front()) {
      llvm::Value *stream = b.getInt32(static_cast<uint32_t>(getStream(&op)));
      if (auto matmul = dyn_cast<nn::MatmulOp>(op)) {
        last = call("zrt_matmul", {ctx, stream, describe(matmul)});
      } else if (auto copy = dyn_cast<CopyOp>(op)) {
        last = call(
            "zrt_copy",
            {ctx, stream,
             constants.global(constants.ref(bytesOf(copy.getSource())), "ref"),
             constants.global(constants.ref(bytesOf(copy.getResult())),
                              "ref")});
      } else if (auto record = dyn_cast<RecordOp>(op)) {
        uint32_t number = events.size();
        events[record.getEvent()] = number;
        last = call("zrt_record", {ctx, stream, b.getInt32(number)});
      } else if (auto wait = dyn_cast<WaitOp>(op)) {
        last = call("zrt_wait",
                    {ctx, stream, b.getInt32(events.lookup(wait.getEvent()))});
      } else if (auto found = launches.find(&op); found != launches.end()) {
        for (const PlanLaunch &launch : found->second)
          last = call("zrt_launch", {ctx, stream, describe(launch)});
      }
    }
    b.CreateRet(last);
  }

  llvm::Constant *describe(nn::MatmulOp op) {
    std::string label = nameOf(op.getLoc());
    StringRef last = StringRef(label).rsplit('.').second;
    label = last.empty() ? (label.empty() ? "matmul" : label) : last.str();
    return constants.global(
        constants.structure(
            {constants.string("matmul." + label),
             constants.i32(dtypeOf(op.getResult().getType())),
             constants.i32(op.getTransposeA()),
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

  llvm::Constant *describe(const PlanLaunch &launch) {
    func::FuncOp kernel = launch.kernel;
    llvm::Type *i64 = b.getInt64Ty();
    auto *type =
        llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), i64, i64}, false);
    auto entry =
        out.getOrInsertFunction(("zk." + kernel.getSymName()).str(), type);
    SmallVector<llvm::Constant *> refs;
    for (BytesAttr bytes : launch.args)
      refs.push_back(constants.ref(bytes));
    Dispatch dispatch = getDispatch(kernel);
    return constants.global(
        constants.structure({constants.string(kernel.getSymName()),
                             cast<llvm::Constant>(entry.getCallee()),
                             constants.i64(dispatch.extent),
                             constants.i64(dispatch.grain),
                             constants.i32(refs.size()), constants.i32(0),
                             constants.array(refs)},
                            sizeof(zrt_launch_desc)),
        "launch");
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
                                 constants.shape(member.getShape()),
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

  void lowerMetadata() {
    SmallVector<llvm::Constant *> bucketList = buckets(), states, inputs,
                                  outputs, categories;
    int64_t batch = 0, seq = 0, vocab = 0;
    for (BlockArgument arg : step.getArguments()) {
      unsigned i = arg.getArgNumber();
      if (auto state = step.getArgAttrOfType<StateAttr>(i, kStateAttr)) {
        states.push_back(constants.structure(
            {constants.string(state.getSlot()),
             constants.i32(bucketIndex.lookup(state.getBucket().getAttr())),
             constants.i32(dtypeOf(arg.getType())),
             constants.ref(bytesOf(arg))},
            sizeof(zrt_state)));
        continue;
      }
      auto name = step.getArgAttrOfType<StringAttr>(i, kInputAttr);
      if (!name)
        name = step.getArgAttrOfType<StringAttr>(i, kScalarAttr);
      auto type = cast<RankedTensorType>(arg.getType());
      inputs.push_back(constants.structure(
          {constants.string(name), constants.i32(dtypeOf(type)),
           constants.i32(type.getRank()), constants.shape(type.getShape()),
           constants.ref(bytesOf(arg))},
          sizeof(zrt_input)));
      if (name.getValue() == "tokens" && type.getRank() == 2) {
        batch = type.getDimSize(0);
        seq = type.getDimSize(1);
      }
      if (auto ids = step.getArgAttrOfType<IntegerAttr>(i, "zero.vocab"))
        vocab = ids.getInt();
    }
    Operation *returned = step.getBody().front().getTerminator();
    for (OpOperand &value : returned->getOpOperands())
      if (auto name = step.getResultAttrOfType<StringAttr>(
              value.getOperandNumber(), kOutputAttr))
        outputs.push_back(constants.structure(
            {constants.string(name),
             constants.i32(dtypeOf(value.get().getType())), constants.i32(0),
             constants.ref(bytesOf(value.get()))},
            sizeof(zrt_output)));
    for (auto &[name, bytes] : info.categories)
      categories.push_back(
          constants.structure({constants.string(name), constants.i64(bytes)},
                              sizeof(zrt_category)));
    int64_t ranks = 1;
    for (AxisOp axis : plan.getOps<AxisOp>())
      ranks *= axis.getSize();
    ArrayRef<int64_t> arena =
        plan->getAttrOfType<DenseI64ArrayAttr>("zero.arena").asArrayRef();
    llvm::Constant *arenas = llvm::ConstantArray::get(
        llvm::ArrayType::get(b.getInt64Ty(), ZRT_TIER_COUNT),
        {constants.i64(arena[0]), constants.i64(arena[1]),
         constants.i64(arena[2])});
    llvm::Constant *compiled = constants.structure(
        {constants.i32(ZRT_ABI_VERSION), constants.i32(ranks),
         constants.string(info.model),   constants.string(info.options),
         constants.string(info.cpu),     constants.string(info.features),
         constants.i64(batch),           constants.i64(seq),
         constants.i64(vocab),           arenas,
         constants.i32(events.size()),   constants.i32(bucketList.size()),
         constants.i32(states.size()),   constants.i32(inputs.size()),
         constants.i32(outputs.size()),  constants.i32(categories.size()),
         constants.array(bucketList),    constants.array(states),
         constants.array(inputs),        constants.array(outputs),
         constants.array(categories),    stepFunction},
        sizeof(zrt_plan));
    constants.global(compiled, "zrt_compiled_plan", /*exported=*/true);
  }
};

} // namespace

std::unique_ptr<llvm::Module>
zero::lowerPlanToRuntime(ModuleOp plan, const LaunchMap &launches,
                         llvm::LLVMContext &context, const PlanInfo &info) {
  auto module = std::make_unique<llvm::Module>("plan", context);
  PlanLowering(plan, launches, *module, info).run();
  return module;
}
