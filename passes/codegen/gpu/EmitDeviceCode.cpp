//===- EmitDeviceCode.cpp - From kernels to code for GPUs -----------------===//

#include "passes/codegen/gpu/EmitDeviceCode.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "passes/codegen/OptimizeModule.h"
#include "passes/codegen/VectorLoops.h"
#include "passes/codegen/gpu/BlockCode.h"
#include "passes/codegen/gpu/GroupBuffers.h"
#include "passes/codegen/gpu/Shuffle.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

constexpr unsigned kSharedSpace = 3;
/// Threads that NVIDIA's GPUs run in step.
constexpr int kWarp = 32;

std::unique_ptr<llvm::TargetMachine> createMachine(StringRef arch) {
  static const bool initialized = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)initialized;
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  llvm::TargetOptions options;
  // One rounding per operation, as on a CPU.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, arch, "", options, std::nullopt, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
}

/// What a device is to an entry.
class Device {
public:
  explicit Device(llvm::Module &module)
      : module(module), b(module.getContext()) {}
  virtual ~Device() = default;

  /// An empty entry, at whose beginning `b` stands then.
  virtual llvm::Function *createEntry(const std::string &name,
                                      ArrayRef<llvm::Type *> parameters,
                                      uint32_t threads) = 0;
  /// Parameter `i` of the entry.
  virtual llvm::Value *getParameter(unsigned i, llvm::Type *type) = 0;
  virtual llvm::Value *getThread() = 0;
  virtual llvm::Value *getBlock() = 0;
  /// The shared memory of the block, so many bytes.
  virtual llvm::Value *getShared(int64_t bytes) = 0;
  /// Bodies of the functions that kernels call; null where they are none.
  virtual void defineShuffle(llvm::Function *function) = 0;
  virtual void defineSync(llvm::Function *function) = 0;
  virtual void defineBarrier(llvm::Function *function) = 0;

  llvm::Module &module;
  llvm::IRBuilder<> b;

protected:
  llvm::Function *entry = nullptr;

  void begin(llvm::Function *function) {
    b.SetInsertPoint(
        llvm::BasicBlock::Create(module.getContext(), "", function));
  }
};

class Nvidia : public Device {
public:
  using Device::Device;

  llvm::Function *createEntry(const std::string &name,
                              ArrayRef<llvm::Type *> parameters,
                              uint32_t threads) override {
    entry = llvm::Function::Create(
        llvm::FunctionType::get(b.getVoidTy(), parameters, false),
        llvm::GlobalValue::ExternalLinkage, name, module);
    entry->setCallingConv(llvm::CallingConv::PTX_Kernel);
    entry->addFnAttr("nvvm.maxntid", std::to_string(threads));
    begin(entry);
    return entry;
  }
  llvm::Value *getParameter(unsigned i, llvm::Type *) override {
    return entry->getArg(i);
  }
  llvm::Value *getThread() override {
    return call(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x);
  }
  llvm::Value *getBlock() override {
    return call(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x);
  }
  llvm::Value *getShared(int64_t bytes) override {
    auto *type = llvm::ArrayType::get(b.getInt8Ty(), bytes);
    auto *shared = new llvm::GlobalVariable(
        module, type, /*isConstant=*/false, llvm::GlobalValue::InternalLinkage,
        llvm::UndefValue::get(type), entry->getName() + "_shared", nullptr,
        llvm::GlobalValue::NotThreadLocal, kSharedSpace);
    shared->setAlignment(llvm::Align(16));
    return b.CreateAddrSpaceCast(shared, b.getPtrTy());
  }
  void defineShuffle(llvm::Function *function) override {
    begin(function);
    llvm::Value *lane = getLane();
    llvm::Value *from = b.CreateOr(firstLaneOfGroup(lane), function->getArg(1));
    b.CreateRet(
        call(llvm::Intrinsic::nvvm_shfl_sync_idx_i32,
             {mask(lane), function->getArg(0), from, b.getInt32(kWarp - 1)}));
  }
  void defineSync(llvm::Function *function) override {
    begin(function);
    call(llvm::Intrinsic::nvvm_bar_warp_sync, {mask(getLane())});
    b.CreateRetVoid();
  }
  void defineBarrier(llvm::Function *function) override {
    begin(function);
    call(llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all, {b.getInt32(0)});
    b.CreateRetVoid();
  }

private:
  llvm::Value *call(llvm::Intrinsic::ID id, ArrayRef<llvm::Value *> args = {}) {
    return b.CreateIntrinsic(id, args);
  }
  llvm::Value *getLane() {
    return b.CreateAnd(getThread(), b.getInt32(kWarp - 1));
  }
  llvm::Value *firstLaneOfGroup(llvm::Value *lane) {
    return b.CreateAnd(lane, b.getInt32(kWarp - kGroupThreads));
  }
  /// The threads of the group, of those of the warp.
  llvm::Value *mask(llvm::Value *lane) {
    return b.CreateShl(b.getInt32((1u << kGroupThreads) - 1),
                       firstLaneOfGroup(lane));
  }
};

class Emulator : public Device {
public:
  using Device::Device;

  llvm::Function *createEntry(const std::string &name, ArrayRef<llvm::Type *>,
                              uint32_t) override {
    entry = llvm::Function::Create(
        llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy()}, false),
        llvm::GlobalValue::ExternalLinkage, name, module);
    begin(entry);
    return entry;
  }
  llvm::Value *getParameter(unsigned i, llvm::Type *type) override {
    llvm::Value *at = b.CreateLoad(
        b.getPtrTy(), b.CreateConstGEP1_64(b.getPtrTy(), entry->getArg(0), i));
    return b.CreateLoad(type, at);
  }
  llvm::Value *getThread() override {
    return call("zge_thread", b.getInt32Ty());
  }
  llvm::Value *getBlock() override { return call("zge_block", b.getInt32Ty()); }
  llvm::Value *getShared(int64_t) override {
    return call("zge_shared", b.getPtrTy());
  }
  void defineShuffle(llvm::Function *function) override {
    begin(function);
    b.CreateRet(call(
        "zge_shuffle", b.getInt32Ty(),
        {function->getArg(0), function->getArg(1), b.getInt32(kGroupThreads)}));
  }
  void defineSync(llvm::Function *function) override {
    begin(function);
    call("zge_sync", b.getVoidTy(), {b.getInt32(kGroupThreads)});
    b.CreateRetVoid();
  }
  void defineBarrier(llvm::Function *function) override {
    begin(function);
    call("zge_barrier", b.getVoidTy());
    b.CreateRetVoid();
  }

  /// Tells the emulator of each access of `function` to memory that is not the
  /// thread's own.
  void reportAccesses(llvm::Function &function) {
    const llvm::DataLayout &layout = module.getDataLayout();
    SmallVector<llvm::Instruction *> accesses;
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        accesses.push_back(&instruction);
    for (llvm::Instruction *instruction : accesses) {
      b.SetInsertPoint(instruction);
      if (auto *load = dyn_cast<llvm::LoadInst>(instruction))
        report("zge_read", load->getPointerOperand(),
               layout.getTypeStoreSize(load->getType()), load->getAlign());
      else if (auto *store = dyn_cast<llvm::StoreInst>(instruction))
        report("zge_write", store->getPointerOperand(),
               layout.getTypeStoreSize(store->getValueOperand()->getType()),
               store->getAlign());
      else if (auto *call = dyn_cast<llvm::IntrinsicInst>(instruction))
        reportMasked(call, layout);
    }
  }

private:
  llvm::Value *call(StringRef name, llvm::Type *result,
                    ArrayRef<llvm::Value *> args = {}) {
    SmallVector<llvm::Type *> types;
    for (llvm::Value *arg : args)
      types.push_back(arg->getType());
    llvm::FunctionCallee callee = module.getOrInsertFunction(
        name, llvm::FunctionType::get(result, types, false));
    cast<llvm::Function>(callee.getCallee())
        ->addFnAttr(llvm::Attribute::Convergent);
    return b.CreateCall(callee, args);
  }

  /// The thread's stack, or a constant.
  static bool isOwn(llvm::Value *address) {
    const llvm::Value *object = llvm::getUnderlyingObject(address, 0);
    auto *global = dyn_cast<llvm::GlobalVariable>(object);
    return isa<llvm::AllocaInst>(object) || (global && global->isConstant());
  }

  /// In pieces that are as wide as the device's would be.
  void report(StringRef name, llvm::Value *address, uint64_t bytes,
              llvm::Align alignment) {
    if (isOwn(address))
      return;
    const uint64_t piece = std::min(bytes, alignment.value());
    for (uint64_t at = 0; at < bytes; at += piece)
      call(name, b.getVoidTy(),
           {b.CreateConstGEP1_64(b.getInt8Ty(), address, at),
            b.getInt64(std::min(piece, bytes - at))});
  }

  /// Of a masked access: of each lane that is on.
  void reportMasked(llvm::IntrinsicInst *access,
                    const llvm::DataLayout &layout) {
    bool isLoad = access->getIntrinsicID() == llvm::Intrinsic::masked_load;
    if (!isLoad && access->getIntrinsicID() != llvm::Intrinsic::masked_store)
      return;
    llvm::Value *address = access->getArgOperand(isLoad ? 0 : 1),
                *mask = access->getArgOperand(isLoad ? 1 : 2);
    auto *type = cast<llvm::FixedVectorType>(
        isLoad ? access->getType() : access->getArgOperand(0)->getType());
    if (isOwn(address))
      return;
    uint64_t size = layout.getTypeStoreSize(type->getElementType());
    for (unsigned i = 0; i < type->getNumElements(); ++i) {
      llvm::Value *on = b.CreateExtractElement(mask, i);
      // No bytes where the lane is off.
      llvm::Value *bytes = b.CreateSelect(on, b.getInt64(size), b.getInt64(0));
      call(isLoad ? "zge_read" : "zge_write", b.getVoidTy(),
           {b.CreateConstGEP1_64(type->getElementType(), address, i), bytes});
    }
  }
};

/// A name that PTX takes.
std::string entryOf(StringRef name) {
  std::string entry = "zk_";
  for (char c : name)
    if (llvm::isAlnum(c) || c == '_')
      entry += c;
    else
      entry += llvm::formatv("${0:x-2}", static_cast<unsigned>(c)).str();
  return entry;
}

/// What launching the kernels needs, of what lowering has left on them.
std::vector<DeviceKernel> readKernels(ModuleOp kernels) {
  std::vector<DeviceKernel> found;
  for (auto function : kernels.getOps<LLVM::LLVMFuncOp>()) {
    auto units = function->getAttrOfType<IntegerAttr>(kGroupUnitsAttr);
    auto parts = function->getAttrOfType<IntegerAttr>(kUnitPartsAttr);
    if (!units && !parts)
      continue;
    auto shared = function->getAttrOfType<IntegerAttr>(kSharedBytesAttr);
    const int64_t bytes = shared ? shared.getInt() : 0;
    if (parts) {
      auto kernel = function->getAttrOfType<StringAttr>(kLaunchOfAttr);
      StringRef name = function.getName();
      found.push_back({kernel ? kernel.str() : name.str(), entryOf(name),
                       static_cast<uint32_t>(kBlockThreads),
                       /*unitsPerBlock=*/1, static_cast<uint32_t>(bytes),
                       static_cast<uint32_t>(parts.getInt()), name.str()});
      continue;
    }
    if (auto threads =
            function->getAttrOfType<IntegerAttr>(kBlockThreadsAttr)) {
      found.push_back({function.getName().str(), entryOf(function.getName()),
                       static_cast<uint32_t>(threads.getInt()),
                       static_cast<uint32_t>(units.getInt()),
                       static_cast<uint32_t>(bytes), /*blocksPerUnit=*/0,
                       function.getName().str(), /*isBlock=*/true});
      continue;
    }
    int64_t groups = kBlockThreads / kGroupThreads;
    while (groups * bytes > kMaxSharedBytes && groups > 1)
      groups /= 2;
    found.push_back({function.getName().str(), entryOf(function.getName()),
                     static_cast<uint32_t>(groups * kGroupThreads),
                     static_cast<uint32_t>(groups * units.getInt()),
                     static_cast<uint32_t>(groups * bytes),
                     /*blocksPerUnit=*/0, function.getName().str()});
  }
  return found;
}

/// What the thread of a kernel of groups is given behind its operands: its number
/// in the group, the group's memory, and its range of units.
SmallVector<llvm::Value *>
groupArguments(Device &device, const DeviceKernel &kernel, llvm::Value *thread,
               llvm::Value *block, llvm::Value *units) {
  llvm::IRBuilder<> &b = device.b;
  SmallVector<llvm::Value *> args;
  const uint64_t size = kernel.isBlock ? kernel.threads : kGroupThreads,
                 groups = kernel.threads / size,
                 unitsPerGroup = kernel.unitsPerBlock / groups;
  llvm::Value *group = b.CreateUDiv(thread, b.getInt64(size));
  args.push_back(b.CreateURem(thread, b.getInt64(size)));
  if (kernel.sharedBytes) {
    llvm::Value *shared = device.getShared(kernel.sharedBytes);
    args.push_back(b.CreateGEP(
        b.getInt8Ty(), shared,
        b.CreateMul(group, b.getInt64(kernel.sharedBytes / groups))));
  } else {
    args.push_back(llvm::ConstantPointerNull::get(b.getPtrTy()));
  }
  auto least = [&](llvm::Value *x, llvm::Value *y) {
    return b.CreateSelect(b.CreateICmpULT(x, y), x, y);
  };
  llvm::Value *index =
                  b.CreateAdd(b.CreateMul(block, b.getInt64(groups)), group),
              *begin = b.CreateMul(index, b.getInt64(unitsPerGroup)),
              *end = b.CreateAdd(begin, b.getInt64(unitsPerGroup));
  args.push_back(least(begin, units));
  args.push_back(least(end, units));
  return args;
}

/// The same where blocks share a unit: the thread's number in the block, the
/// block's memory, the unit and the part.
SmallVector<llvm::Value *> blockArguments(Device &device,
                                          const DeviceKernel &kernel,
                                          llvm::Value *thread,
                                          llvm::Value *block) {
  llvm::IRBuilder<> &b = device.b;
  llvm::Value *parts = b.getInt64(kernel.blocksPerUnit);
  return {thread, device.getShared(kernel.sharedBytes),
          b.CreateUDiv(block, parts), b.CreateURem(block, parts)};
}

void addEntry(Device &device, const DeviceKernel &kernel) {
  llvm::Function *body = device.module.getFunction(kernel.function);
  body->setLinkage(llvm::GlobalValue::InternalLinkage);
  body->addFnAttr(llvm::Attribute::AlwaysInline);
  llvm::IRBuilder<> &b = device.b;
  const unsigned operands = body->arg_size() - 4;
  SmallVector<llvm::Type *> types(operands, b.getPtrTy());
  types.push_back(b.getInt64Ty());
  device.createEntry(kernel.entry, types, kernel.threads);

  SmallVector<llvm::Value *> args;
  for (unsigned i = 0; i < operands; ++i)
    args.push_back(device.getParameter(i, b.getPtrTy()));
  llvm::Value *units = device.getParameter(operands, b.getInt64Ty());
  auto wide = [&](llvm::Value *value) {
    return b.CreateZExt(value, b.getInt64Ty());
  };
  llvm::Value *thread = wide(device.getThread()),
              *block = wide(device.getBlock());
  args.append(kernel.blocksPerUnit
                  ? blockArguments(device, kernel, thread, block)
                  : groupArguments(device, kernel, thread, block, units));
  b.CreateCall(body, args);
  b.CreateRetVoid();
}

/// A function that `body` needs and an NVIDIA GPU does not have, or has only in
/// an approximation; "" if there is none.
std::string findMissing(const llvm::Function &body) {
  for (const llvm::BasicBlock &block : body)
    for (const llvm::Instruction &instruction : block) {
      auto *call = dyn_cast<llvm::CallInst>(&instruction);
      const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
      if (!callee || callee->getName() == kShuffle ||
          callee->getName() == kSync || callee->getName() == kBarrier)
        continue;
      switch (callee->getIntrinsicID()) {
      case llvm::Intrinsic::not_intrinsic:
      case llvm::Intrinsic::pow:
      case llvm::Intrinsic::powi:
      case llvm::Intrinsic::exp:
      case llvm::Intrinsic::exp2:
      case llvm::Intrinsic::log:
      case llvm::Intrinsic::log2:
      case llvm::Intrinsic::log10:
      case llvm::Intrinsic::sin:
      case llvm::Intrinsic::cos:
      case llvm::Intrinsic::tan:
      case llvm::Intrinsic::tanh:
        return callee->getName().str();
      default:
        break;
      }
    }
  return "";
}

/// Leaves out of `code` what the device cannot do.
void dropMissing(DeviceCode &code) {
  llvm::erase_if(code.kernels, [&](const DeviceKernel &kernel) {
    llvm::Function *body = code.module->getFunction(kernel.function);
    std::string what = findMissing(*body);
    if (what.empty())
      return false;
    code.missing.push_back({kernel.name, what});
    body->eraseFromParent();
    return true;
  });
}

DeviceCode translate(ModuleOp kernels, llvm::LLVMContext &context) {
  registerBuiltinDialectTranslation(*kernels.getContext());
  registerLLVMDialectTranslation(*kernels.getContext());
  return {translateModuleToLLVMIR(kernels, context, "device"),
          readKernels(kernels),
          {}};
}

/// Defines the functions that kernels call.
void defineCalls(Device &device) {
  auto define = [&](StringRef name, auto &&emit) {
    llvm::Function *function = device.module.getFunction(name);
    if (!function)
      return;
    emit(function);
    function->setLinkage(llvm::GlobalValue::InternalLinkage);
    function->addFnAttr(llvm::Attribute::AlwaysInline);
    function->addFnAttr(llvm::Attribute::Convergent);
  };
  define(kShuffle, [&](llvm::Function *f) { device.defineShuffle(f); });
  define(kSync, [&](llvm::Function *f) { device.defineSync(f); });
  define(kBarrier, [&](llvm::Function *f) { device.defineBarrier(f); });
}

} // namespace

DeviceCode zero::translateForNvidia(ModuleOp kernels,
                                    llvm::LLVMContext &context,
                                    StringRef arch) {
  DeviceCode code = translate(kernels, context);
  std::unique_ptr<llvm::TargetMachine> machine = createMachine(arch);
  if (!code.module || !machine)
    return {};
  code.module->setTargetTriple(machine->getTargetTriple());
  code.module->setDataLayout(machine->createDataLayout());
  dropMissing(code);
  Nvidia device(*code.module);
  for (const DeviceKernel &kernel : code.kernels)
    addEntry(device, kernel);
  defineCalls(device);
  return code;
}

DeviceCode zero::translateForEmulator(ModuleOp kernels,
                                      llvm::LLVMContext &context) {
  DeviceCode code = translate(kernels, context);
  if (!code.module)
    return {};
  Emulator device(*code.module);
  for (const DeviceKernel &kernel : code.kernels) {
    device.reportAccesses(*code.module->getFunction(kernel.function));
    addEntry(device, kernel);
  }
  defineCalls(device);
  return code;
}

llvm::Expected<std::string> zero::emitPtx(llvm::Module &module,
                                          StringRef arch) {
  std::unique_ptr<llvm::TargetMachine> machine = createMachine(arch);
  if (!machine)
    return llvm::createStringError("this build of LLVM has no NVPTX");
  runO3(module, *machine);
  SmallString<0> text;
  llvm::raw_svector_ostream out(text);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, out, nullptr,
                                   llvm::CodeGenFileType::AssemblyFile))
    return llvm::createStringError("NVPTX emits no text");
  passes.run(module);
  return text.str().str();
}
