//===- PlanDescription.cpp - A plan's description as constants ------------===//
//
// The constant `zrt_compiled_plan`: buckets and their members, state, inputs
// and outputs with the bytes that they have in all programs, arenas, the plan's
// options, and the tables of its programs (ProgramTables.cpp).
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/tables/PlanDescription.h"

#include "dialect/zero/BucketUse.h"
#include "dialect/zero/InputBound.h"
#include "dialect/zero/Origin.h"
#include "dialect/zero/PlanPrograms.h"
#include "passes/codegen/tables/ProgramTables.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::zero;

static int64_t intOf(ModuleOp plan, StringRef name, int64_t otherwise) {
  auto attr = plan->getAttrOfType<IntegerAttr>(name);
  return attr ? attr.getInt() : otherwise;
}

static Zrt<zrt_init> describeInit(Attribute init) {
  if (auto normal = dyn_cast<NormalAttr>(init))
    return {.kind = ZRT_INIT_NORMAL, .b = normal.getStd().convertToDouble()};
  if (auto uniform = dyn_cast<UniformAttr>(init))
    return {.kind = ZRT_INIT_UNIFORM,
            .a = uniform.getLow().convertToDouble(),
            .b = uniform.getHigh().convertToDouble()};
  return {.kind = ZRT_INIT_CONSTANT,
          .a = cast<ConstantAttr>(init).getValue().convertToDouble()};
}

namespace {

class PlanDescription {
public:
  PlanDescription(ModuleOp plan, llvm::Module &out)
      : plan(plan), step(findMainProgram(plan)), operands(plan, out),
        constants(operands.constants) {}

  /// Adds the constant to the module.
  LogicalResult build(const PlanInfo &info);

private:
  ModuleOp plan;
  ProgramOp step;
  PlanOperands operands;
  ZrtConstants &constants;

  SmallVector<Zrt<zrt_bucket>> buckets() {
    SmallVector<Zrt<zrt_bucket>> list;
    for (BucketOp bucket : plan.getOps<BucketOp>()) {
      std::optional<Packing> packing = bucket.getPacking();
      SmallVector<Zrt<zrt_member>> members;
      for (auto member : bucket.getMembers().getAsRange<MemberAttr>())
        members.push_back(
            {.name = constants.string(member.getName()),
             .rank = static_cast<uint32_t>(member.getShape().size()),
             .decays = member.getDecay(),
             .shape = constants.array<int64_t>(member.getParameterShape()),
             .first = static_cast<uint64_t>(
                 packing ? getPackedBytes(*packing, member.getFirstElement())
                         : member.getFirstElement()),
             .offset = static_cast<uint64_t>(member.getOffset()),
             .count = static_cast<uint64_t>(bucket.getSizeOf(member)),
             .init = describeInit(member.getInit())});
      list.push_back({.name = constants.string(bucket.getSymName()),
                      .elements = static_cast<uint64_t>(bucket.getElements()),
                      .member_count = static_cast<uint32_t>(members.size()),
                      .frozen = bucket.getFrozen(),
                      .members = constants.array<Zrt<zrt_member>>(members),
                      .packing = packing ? static_cast<uint32_t>(*packing)
                                         : uint32_t(ZRT_UNPACKED)});
    }
    return list;
  }

  SmallVector<Zrt<zrt_state>> states() {
    SmallVector<Zrt<zrt_state>> list;
    for (BlockArgument arg : step.getArguments())
      if (auto state = step.getState(arg.getArgNumber()))
        list.push_back({.slot = constants.string(state.getSlot()),
                        .bucket = operands.getBucket(state.getBucket()),
                        .dtype = operands.getElement(arg).number,
                        .extent = zero::detail::isPart(arg.getType()) ? ZRT_PART
                                  : zero::detail::isSlice(arg.getType())
                                      ? ZRT_SLICE
                                      : ZRT_WHOLE,
                        .ref = operands.getRef(arg)});
    return list;
  }

  /// @prefill and @decode have them in the same bytes.
  SmallVector<Zrt<zrt_ref>> caches() {
    auto program = plan.lookupSymbol<ProgramOp>(kDecode);
    SmallVector<Zrt<zrt_ref>> list;
    if (program && !program.isExternal())
      for (const NextCache &cache : findNextCaches(program))
        list.push_back(operands.getRef(cache.argument));
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
      RankedTensorType type = getHeldTensor(arg.getType());
      InputBound bound = getInputBound(step, i);
      list.push_back({.name = constants.string(name),
                      .dtype = operands.getElement(arg).number,
                      .rank = static_cast<uint32_t>(type.getRank()),
                      .shape = constants.array<int64_t>(type.getShape()),
                      .ref = operands.getRef(arg),
                      .bound = bound.vocab,
                      .ignored = bound.ignored,
                      .micro_step = microStepOf(step.getArgAttr(i, kMicroAttr)),
                      .separator = separatorOf(step, i)});
    }
    return list;
  }

  uint32_t keptEvery() {
    for (unsigned i = 0, e = step.getNumArguments(); i != e; ++i)
      if (auto every = step.getArgAttrOfType<IntegerAttr>(i, kKeptEveryAttr))
        return static_cast<uint32_t>(every.getInt());
    return 0;
  }

  static uint32_t separatorOf(ProgramOp program, unsigned argument) {
    auto id = program.getArgAttrOfType<IntegerAttr>(argument, kSeparatorAttr);
    return id ? static_cast<uint32_t>(id.getInt() + 1) : 0;
  }

  void describe(const PlanDevice &device, Zrt<zrt_plan> &compiled) {
    auto images = llvm::map_to_vector(
        device.images, [&](const auto &image) -> Zrt<zrt_device_image> {
          return {.data = constants.bytes(image.bytes),
                  .bytes = image.bytes.size(),
                  .kind = constants.string(image.kind)};
        });
    auto kernels = llvm::map_to_vector(
        device.kernels,
        [&](const DeviceKernel &kernel) -> Zrt<zrt_device_kernel> {
          return {.fn = kernel.unitElements ? nullptr
                                            : constants.kernel(kernel.name),
                  .entry = constants.string(kernel.entry),
                  .threads = kernel.threads,
                  .units_per_block = kernel.unitsPerBlock,
                  .shared_bytes = kernel.sharedBytes,
                  .blocks_per_unit = kernel.blocksPerUnit};
        });
    std::vector<Zrt<zrt_device_attention>> attentions;
    for (const LibraryAttention &attention : device.attentions) {
      attentions.push_back(attention.how);
      attentions.back().fn = constants.kernel(attention.kernel);
    }
    compiled.make_device = constants.deviceMaker(device.maker);
    compiled.device_image_count = static_cast<uint32_t>(images.size());
    compiled.device_kernel_count = static_cast<uint32_t>(kernels.size());
    compiled.device_images = constants.array<Zrt<zrt_device_image>>(images);
    compiled.device_kernels = constants.array<Zrt<zrt_device_kernel>>(kernels);
    compiled.device_attention_count = static_cast<uint32_t>(attentions.size());
    compiled.device_attentions = constants.array(llvm::ArrayRef(attentions));
  }

  static uint32_t microStepOf(Attribute attribute) {
    auto number = dyn_cast_or_null<IntegerAttr>(attribute);
    return number ? static_cast<uint32_t>(number.getInt()) : 0;
  }

  /// An output of several programs has the same bytes in all of them.
  SmallVector<Zrt<zrt_output>> outputs() {
    SmallVector<Zrt<zrt_output>> list;
    llvm::StringSet<> keys;
    for (ProgramOp program : findPrograms(plan))
      for (OpOperand &value :
           program.front().getTerminator()->getOpOperands()) {
        unsigned i = value.getOperandNumber();
        auto name = program.getOutput(i);
        if (name && keys.insert(getOutputKey(program, i)).second)
          list.push_back(
              {.name = constants.string(name),
               .dtype = operands.getElement(value.get()).number,
               .micro_step = microStepOf(program.getResultAttr(i, kMicroAttr)),
               .ref = operands.getRef(value.get())});
      }
    return list;
  }
};

/// zero.function as JSON.
std::string functionText(ModuleOp plan) {
  auto entries = plan->getAttrOfType<DictionaryAttr>(kFunctionAttr);
  if (!entries)
    return "";
  llvm::json::Object text;
  for (NamedAttribute entry : entries)
    text[entry.getName().getValue()] =
        llvm::json::fixUTF8(cast<StringAttr>(entry.getValue()).getValue());
  return llvm::formatv("{0}", llvm::json::Value(std::move(text)));
}

} // namespace

LogicalResult PlanDescription::build(const PlanInfo &info) {
  auto bucketList = buckets();
  auto stateList = states();
  auto inputList = inputs();
  auto cacheList = caches();
  auto outputList = outputs();
  auto categories = llvm::map_to_vector(
      info.categories, [&](const auto &category) -> Zrt<zrt_category> {
        return {.name = constants.string(category.name),
                .bytes = category.bytes,
                .tier = category.tier};
      });
  SmallVector<Stream> streams = listStreams(plan);
  auto streamList =
      llvm::map_to_vector(streams, [&](Stream stream) -> Zrt<zrt_stream_desc> {
        return {.name = constants.string(stringifyStream(stream)),
                .stream_class = static_cast<uint32_t>(stream)};
      });
  llvm::Constant *streamTable =
      constants.array<Zrt<zrt_stream_desc>>(streamList);
  ArrayRef<int64_t> arena =
      plan->getAttrOfType<DenseI64ArrayAttr>(kArenaAttr).asArrayRef();

  auto adapters = plan->getAttrOfType<StringAttr>(kAdaptersAttr);
  auto options = plan->getAttrOfType<OptionsAttr>(kOptionsAttr);
  Zrt<zrt_plan> compiled = {
      .abi_version = ZRT_ABI_VERSION,
      .world_size = static_cast<uint32_t>(getNumRanks(plan)),
      .stage = static_cast<uint32_t>(intOf(plan, kStageAttr, 0)),
      .accumulate = static_cast<uint32_t>(intOf(plan, kMicroStepsAttr, 1)),
      .model = constants.string(info.model),
      .model_hash = info.modelHash,
      .function = constants.string(functionText(plan)),
      .options = constants.string(info.options),
      .cpu = constants.string(info.cpu),
      .features = constants.string(info.features),
      .certificate = constants.string(info.certificate),
      .adapters = constants.string(adapters ? adapters.getValue() : ""),
      .target = constants.string(info.device ? info.device->target : "cpu"),
      .device_arch = constants.string(info.device ? info.device->arch : ""),
      .collectives =
          constants.string(info.device ? info.device->collectives : "host"),
      .exported_begin =
          static_cast<uint64_t>(intOf(plan, kExportedAttr, arena[0])),
      .stream_count = static_cast<uint32_t>(streamList.size()),
      .bucket_count = static_cast<uint32_t>(bucketList.size()),
      .state_count = static_cast<uint32_t>(stateList.size()),
      .input_count = static_cast<uint32_t>(inputList.size()),
      .output_count = static_cast<uint32_t>(outputList.size()),
      .category_count = static_cast<uint32_t>(categories.size()),
      .layered = isLayered(plan),
      .delayed_update = isDelayed(plan),
      .bucket_bytes =
          static_cast<uint64_t>(options ? options.getBucketSize() : 0),
      .cache_count = static_cast<uint32_t>(cacheList.size()),
      .group_size = static_cast<uint32_t>(getGroupSize(plan)),
      .ranks_per_host =
          static_cast<uint32_t>(options ? options.getRanksPerHost() : 0),
      .virtual_shards =
          static_cast<uint32_t>(options ? options.getVirtualShards() : 0),
      .kept_every = keptEvery(),
      .context = static_cast<uint32_t>(getContextSize(plan)),
      .streams = streamTable,
      .buckets = constants.array<Zrt<zrt_bucket>>(bucketList),
      .states = constants.array<Zrt<zrt_state>>(stateList),
      .inputs = constants.array<Zrt<zrt_input>>(inputList),
      .outputs = constants.array<Zrt<zrt_output>>(outputList),
      .categories = constants.array<Zrt<zrt_category>>(categories),
      .caches = constants.array<Zrt<zrt_ref>>(cacheList)};
  llvm::copy(arena, compiled.arena_bytes.begin());
  if (auto workspace = plan->getAttrOfType<BytesAttr>(kWorkspaceAttr))
    compiled.workspace = operands.getRef(workspace);
  if (info.device)
    describe(*info.device, compiled);
  for (auto [name, program] : llvm::zip_equal(kPrograms, compiled.programs))
    if (auto found = plan.lookupSymbol<ProgramOp>(name);
        found && !found.isExternal())
      program = tabulate(found, streams, operands);
  constants.global(compiled, "zrt_compiled_plan", /*exported=*/true);
  return success(!operands.isBroken);
}

std::unique_ptr<llvm::Module> zero::describePlan(ModuleOp plan,
                                                 llvm::LLVMContext &context,
                                                 const PlanInfo &info) {
  auto module = std::make_unique<llvm::Module>("plan", context);
  if (failed(PlanDescription(plan, *module).build(info)))
    return nullptr;
  return module;
}
