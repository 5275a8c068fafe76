//===- Emulated.cpp - Code for the emulator of a GPU ----------------------===//
//
// test/emulator runs x86 code of the same functions.  That code reports each
// access to memory before it happens, except to the thread's own memory.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/gpu/GpuIntrinsics.h"
#include "passes/codegen/gpu/Warp.h"
#include "passes/codegen/loops/VectorLoops.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

class Emulated : public GpuIntrinsics {
public:
  using GpuIntrinsics::GpuIntrinsics;

  llvm::Function *createEntry(const DeviceKernel &kernel,
                              ArrayRef<llvm::Type *>) override {
    entry = llvm::Function::Create(
        llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy()}, false),
        llvm::GlobalValue::ExternalLinkage, kernel.entry, module);
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
  void defineMma(llvm::Function *function, Half type) override {
    begin(function);
    llvm::SmallVector<llvm::Value *> args;
    for (llvm::Argument &arg : function->args())
      args.push_back(&arg);
    llvm::Value *sums = store(ArrayRef(args).drop_front(6));
    call("zge_mma", b.getVoidTy(),
         {number(type), store(ArrayRef(args).take_front(4)),
          store(ArrayRef(args).slice(4, 2)), sums});
    b.CreateRet(b.CreateLoad(function->getReturnType(), sums));
  }
  void defineFragment(llvm::Function *function, bool isTransposed) override {
    begin(function);
    llvm::Value *words = b.CreateAlloca(function->getReturnType());
    call("zge_fragment", b.getVoidTy(),
         {b.CreateAdd(function->getArg(0), function->getArg(1)),
          b.getInt32(isTransposed), words});
    b.CreateRet(b.CreateLoad(function->getReturnType(), words));
  }
  void definePack(llvm::Function *function, Half type) override {
    begin(function);
    b.CreateRet(call("zge_pack", b.getInt32Ty(),
                     {number(type), function->getArg(0), function->getArg(1)}));
  }
  void defineSwap(llvm::Function *function) override {
    begin(function);
    b.CreateRet(call(
        "zge_shuffle_xor", b.getInt32Ty(),
        {function->getArg(0), function->getArg(1), b.getInt32(kWarpThreads)}));
  }
  void defineExp2(llvm::Function *function) override {
    begin(function);
    b.CreateRet(call("zge_exp2", b.getFloatTy(), {function->getArg(0)}));
  }
  void defineCopy(llvm::Function *function) override {
    begin(function);
    call("zge_copy", b.getVoidTy(),
         {b.CreateAdd(function->getArg(0), function->getArg(1)),
          b.CreateIntToPtr(function->getArg(2), b.getPtrTy()),
          function->getArg(3)});
    b.CreateRetVoid();
  }
  void defineWaitForCopies(llvm::Function *function) override {
    begin(function);
    call("zge_wait_for_copies", b.getVoidTy());
    b.CreateRetVoid();
  }

  /// Tells the emulator of each access of `function` to memory that is not the
  /// thread's own.
  void prepare(llvm::Function &function) override {
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

  /// zge_type of test/emulator/Emulator.h.
  llvm::Value *number(Half type) { return b.getInt32(type == Half::F16); }
  /// `values`, of one type, side by side on the thread's stack.
  llvm::Value *store(ArrayRef<llvm::Value *> values) {
    llvm::Type *type = values.front()->getType();
    llvm::Value *all =
        b.CreateAlloca(llvm::ArrayType::get(type, values.size()));
    for (auto [i, value] : llvm::enumerate(values))
      b.CreateStore(value, b.CreateConstGEP1_64(type, all, i));
    return all;
  }

  /// Whether `address` is on the thread's stack, or that of a constant.
  static bool isOwn(llvm::Value *address) {
    const llvm::Value *object = llvm::getUnderlyingObject(address, 0);
    auto *global = dyn_cast<llvm::GlobalVariable>(object);
    return isa<llvm::AllocaInst>(object) || (global && global->isConstant());
  }

  /// Reports an access in pieces that are as wide as the device's would be.
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

  /// Reports each lane of a masked access that is on.
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

} // namespace

std::unique_ptr<zero::GpuIntrinsics>
zero::createEmulated(llvm::Module &module) {
  return std::make_unique<Emulated>(module);
}
