//===- Nvidia.cpp - Code for NVIDIA's GPUs --------------------------------===//

#include "passes/codegen/gpu/EmitDeviceCode.h"
#include "passes/codegen/gpu/GpuIntrinsics.h"
#include "passes/codegen/loops/VectorLoops.h"
#include "passes/codegen/machine/OptimizeModule.h"

#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

constexpr unsigned kSharedSpace = 3;
/// Threads that NVIDIA's GPUs run in step.
constexpr int kWarp = 32;

class Nvidia : public GpuIntrinsics {
public:
  using GpuIntrinsics::GpuIntrinsics;

  llvm::Function *createEntry(const DeviceKernel &kernel,
                              ArrayRef<llvm::Type *> parameters) override {
    entry = llvm::Function::Create(
        llvm::FunctionType::get(b.getVoidTy(), parameters, false),
        llvm::GlobalValue::ExternalLinkage, kernel.entry, module);
    entry->setCallingConv(llvm::CallingConv::PTX_Kernel);
    entry->addFnAttr("nvvm.maxntid", std::to_string(kernel.threads));
    if (kernel.blocksAtOnce)
      entry->addFnAttr("nvvm.minctasm", std::to_string(kernel.blocksAtOnce));
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
  llvm::Value *getShared(int64_t) override {
    return b.CreateAddrSpaceCast(sharedMemory(), b.getPtrTy());
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
  void defineMma(llvm::Function *function, Half type) override {
    begin(function);
    SmallVector<llvm::Value *> args;
    llvm::Type *halves = llvm::FixedVectorType::get(b.getHalfTy(), 2);
    for (llvm::Argument &arg : function->args())
      args.push_back(type == Half::F16 && arg.getArgNo() < 6
                         ? b.CreateBitCast(&arg, halves)
                         : &arg);
    llvm::Value *sums = call(
        type == Half::F16 ? llvm::Intrinsic::nvvm_mma_m16n8k16_row_col_f32_f32
                          : llvm::Intrinsic::nvvm_mma_m16n8k16_row_col_bf16,
        args);
    b.CreateRet(sums);
  }
  void defineFragment(llvm::Function *function, bool isTransposed) override {
    begin(function);
    llvm::Value *at = sharedAt(function);
    b.CreateRet(b.CreateIntrinsic(
        isTransposed
            ? llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16
            : llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_b16,
        {at->getType()}, {at}));
  }
  void definePack(llvm::Function *function, Half type) override {
    begin(function);
    // The first operand goes to the upper half.
    llvm::Value *both =
        call(type == Half::F16 ? llvm::Intrinsic::nvvm_ff2f16x2_rn
                               : llvm::Intrinsic::nvvm_ff2bf16x2_rn,
             {function->getArg(1), function->getArg(0)});
    b.CreateRet(b.CreateBitCast(both, b.getInt32Ty()));
  }
  void defineSwap(llvm::Function *function) override {
    begin(function);
    b.CreateRet(call(llvm::Intrinsic::nvvm_shfl_sync_bfly_i32,
                     {b.getInt32(-1), function->getArg(0), function->getArg(1),
                      b.getInt32(kWarp - 1)}));
  }
  void defineExp2(llvm::Function *function) override {
    begin(function);
    b.CreateRet(b.CreateIntrinsic(llvm::Intrinsic::nvvm_ex2_approx_ftz,
                                  {b.getFloatTy()}, {function->getArg(0)}));
  }
  void defineCopy(llvm::Function *function) override {
    begin(function);
    llvm::Value *from = b.CreateIntToPtr(
        function->getArg(2), llvm::PointerType::get(module.getContext(), 1));
    call(llvm::Intrinsic::nvvm_cp_async_cg_shared_global_16_s,
         {sharedAt(function), from, function->getArg(3)});
    b.CreateRetVoid();
  }
  void defineWaitForCopies(llvm::Function *function) override {
    begin(function);
    call(llvm::Intrinsic::nvvm_cp_async_wait_all);
    b.CreateRetVoid();
  }

private:
  llvm::Value *sharedMemory() {
    // The launch sets its size.
    constexpr const char *kName = "zg_shared";
    llvm::GlobalVariable *shared = module.getNamedGlobal(kName);
    if (!shared) {
      shared = new llvm::GlobalVariable(
          module, llvm::ArrayType::get(b.getInt8Ty(), 0), /*isConstant=*/false,
          llvm::GlobalValue::ExternalLinkage, nullptr, kName, nullptr,
          llvm::GlobalValue::NotThreadLocal, kSharedSpace);
      shared->setAlignment(llvm::Align(16));
    }
    return shared;
  }
  /// The address in shared memory at the sum of the first two arguments, of
  /// which the second is constant.
  llvm::Value *sharedAt(llvm::Function *function) {
    llvm::Value *at =
        b.CreateGEP(b.getInt8Ty(), sharedMemory(), function->getArg(0));
    return b.CreateGEP(b.getInt8Ty(), at, function->getArg(1));
  }
  llvm::Value *call(llvm::Intrinsic::ID id, ArrayRef<llvm::Value *> args = {}) {
    return b.CreateIntrinsic(id, args);
  }
  llvm::Value *getLane() {
    return b.CreateAnd(getThread(), b.getInt32(kWarp - 1));
  }
  llvm::Value *firstLaneOfGroup(llvm::Value *lane) {
    return b.CreateAnd(lane, b.getInt32(kWarp - kGroupThreads));
  }
  /// The mask of the group's threads in the warp.
  llvm::Value *mask(llvm::Value *lane) {
    return b.CreateShl(b.getInt32((1u << kGroupThreads) - 1),
                       firstLaneOfGroup(lane));
  }
};

} // namespace

std::unique_ptr<zero::GpuIntrinsics> zero::createNvidia(llvm::Module &module) {
  return std::make_unique<Nvidia>(module);
}

std::unique_ptr<llvm::TargetMachine> zero::createNvidiaMachine(StringRef arch) {
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

llvm::Expected<std::string> zero::emitPtx(llvm::Module &module,
                                          StringRef arch) {
  std::unique_ptr<llvm::TargetMachine> machine = createNvidiaMachine(arch);
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
