//===- Nvidia.cpp - Code for NVIDIA's GPUs --------------------------------===//

#include "passes/codegen/gpu/EmitDeviceCode.h"
#include "passes/codegen/gpu/GpuIntrinsics.h"
#include "passes/codegen/gpu/threads/Warp.h"
#include "passes/codegen/loops/VectorLoops.h"
#include "passes/codegen/machine/OptimizeModule.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
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
  llvm::Value *shuffle(Args args) override {
    llvm::Value *lane = getLane();
    llvm::Value *from = b.CreateOr(firstLaneOfHalfWarp(lane), args[1]);
    return call(llvm::Intrinsic::nvvm_shfl_sync_idx_i32,
                {mask(lane), args[0], from, b.getInt32(kWarp - 1)});
  }
  llvm::Value *sync() override {
    return call(llvm::Intrinsic::nvvm_bar_warp_sync, {mask(getLane())});
  }
  llvm::Value *barrier() override {
    return call(llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all,
                {b.getInt32(0)});
  }
  llvm::Value *mma(Args args, Half type) override {
    if (type == Half::BF16)
      return call(llvm::Intrinsic::nvvm_mma_m16n8k16_row_col_bf16, args);
    SmallVector<llvm::Value *> operands(args);
    llvm::Type *halves = llvm::FixedVectorType::get(b.getHalfTy(), 2);
    for (llvm::Value *&word : MutableArrayRef(operands).take_front(6))
      word = b.CreateBitCast(word, halves);
    return call(llvm::Intrinsic::nvvm_mma_m16n8k16_row_col_f32_f32, operands);
  }
  llvm::Value *fragment(Args args, bool isTransposed) override {
    llvm::Value *at = sharedAt(args);
    return b.CreateIntrinsic(
        isTransposed
            ? llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16
            : llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_b16,
        {at->getType()}, {at});
  }
  llvm::Value *pack(Args args, Half type) override {
    // The first operand goes to the upper half.
    llvm::Value *both =
        call(type == Half::F16 ? llvm::Intrinsic::nvvm_ff2f16x2_rn
                               : llvm::Intrinsic::nvvm_ff2bf16x2_rn,
             {args[1], args[0]});
    return b.CreateBitCast(both, b.getInt32Ty());
  }
  llvm::Value *swap(Args args) override {
    return call(llvm::Intrinsic::nvvm_shfl_sync_bfly_i32,
                {b.getInt32(-1), args[0], args[1], b.getInt32(kWarp - 1)});
  }
  llvm::Value *exp2(Args args) override {
    return b.CreateIntrinsic(llvm::Intrinsic::nvvm_ex2_approx_ftz,
                             {b.getFloatTy()}, args);
  }
  llvm::Value *copy(Args args) override {
    llvm::Value *from = b.CreateIntToPtr(
        args[2], llvm::PointerType::get(module.getContext(), 1));
    return call(llvm::Intrinsic::nvvm_cp_async_cg_shared_global_16_s,
                {sharedAt(args), from, args[3]});
  }
  llvm::Value *endCopies() override {
    return call(llvm::Intrinsic::nvvm_cp_async_commit_group);
  }
  llvm::Value *waitForCopies() override {
    return call(llvm::Intrinsic::nvvm_cp_async_wait_all);
  }
  llvm::Value *waitForOlderCopies() override {
    return call(llvm::Intrinsic::nvvm_cp_async_wait_group,
                {b.getInt32(kNewerCopies)});
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
  llvm::Value *sharedAt(Args args) {
    llvm::Value *at = b.CreateGEP(b.getInt8Ty(), sharedMemory(), args[0]);
    return b.CreateGEP(b.getInt8Ty(), at, args[1]);
  }
  llvm::Value *call(llvm::Intrinsic::ID id, Args args = {}) {
    return b.CreateIntrinsic(id, args);
  }
  llvm::Value *getLane() {
    return b.CreateAnd(getThread(), b.getInt32(kWarp - 1));
  }
  llvm::Value *firstLaneOfHalfWarp(llvm::Value *lane) {
    return b.CreateAnd(lane, b.getInt32(kWarp - kHalfWarpThreads));
  }
  /// The mask of the half-warp's threads in the warp.
  llvm::Value *mask(llvm::Value *lane) {
    return b.CreateShl(b.getInt32((1u << kHalfWarpThreads) - 1),
                       firstLaneOfHalfWarp(lane));
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
  // PTX of CUDA 12.0, the oldest driver, has vectors of 16-bit integers.
  StringRef features = arch == "sm_90" ? "+ptx80" : "";
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, arch, features, options, std::nullopt, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
}

/// Converts words explicitly where 16 of their bits are stored.  PTX may store
/// the low bits of a 32-bit register, but ptxas (CUDA 13.0) converts the value
/// to an integer if the register holds a float: `st.b16 [p], %r` becomes F2I.
static void cutStoredWords(llvm::Module &module) {
  llvm::IRBuilder<> b(module.getContext());
  auto *cut = llvm::InlineAsm::get(
      llvm::FunctionType::get(b.getInt16Ty(), {b.getInt32Ty()}, false),
      "cvt.u16.u32 $0, $1;", "=h,r", /*hasSideEffects=*/false);
  for (llvm::Function &function : module)
    for (llvm::Instruction &each : llvm::instructions(function)) {
      auto *store = llvm::dyn_cast<llvm::StoreInst>(&each);
      if (!store)
        continue;
      llvm::Value *stored = store->getValueOperand();
      auto *cast = llvm::dyn_cast<llvm::BitCastInst>(stored);
      auto *half =
          llvm::dyn_cast<llvm::TruncInst>(cast ? cast->getOperand(0) : stored);
      if (!half || !half->getType()->isIntegerTy(16) ||
          !half->getOperand(0)->getType()->isIntegerTy(32))
        continue;
      b.SetInsertPoint(store);
      llvm::Value *bits = b.CreateCall(cut, {half->getOperand(0)});
      store->setOperand(0, b.CreateBitCast(bits, stored->getType()));
    }
}

llvm::Expected<std::string> zero::emitPtx(llvm::Module &module,
                                          StringRef arch) {
  std::unique_ptr<llvm::TargetMachine> machine = createNvidiaMachine(arch);
  if (!machine)
    return llvm::createStringError("this build of LLVM has no NVPTX");
  runO3(module, *machine);
  cutStoredWords(module);
  SmallString<0> text;
  llvm::raw_svector_ostream out(text);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, out, nullptr,
                                   llvm::CodeGenFileType::AssemblyFile))
    return llvm::createStringError("NVPTX emits no text");
  passes.run(module);
  return text.str().str();
}
