//===- Emulated.cpp - Code for the emulator of a GPU ----------------------===//
//
// test/emulator runs x86 code of the same functions.  That code reports each
// access to memory before it happens, except to the thread's own memory.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/gpu/GpuIntrinsics.h"
#include "passes/codegen/gpu/threads/Warp.h"
#include "passes/codegen/loops/VectorLoops.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
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
  llvm::Value *shuffle(Args args) override {
    return call("zge_shuffle", b.getInt32Ty(),
                {args[0], args[1], b.getInt32(kHalfWarpThreads)});
  }
  llvm::Value *sync() override {
    return call("zge_sync", b.getVoidTy(), {b.getInt32(kHalfWarpThreads)});
  }
  llvm::Value *barrier() override { return call("zge_barrier", b.getVoidTy()); }
  llvm::Value *mma(Args args, Half type) override {
    llvm::Value *sums = store(args.drop_front(6));
    call("zge_mma", b.getVoidTy(),
         {number(type), store(args.take_front(4)), store(args.slice(4, 2)),
          sums});
    return b.CreateLoad(b.getCurrentFunctionReturnType(), sums);
  }
  llvm::Value *fragment(Args args, bool isTransposed) override {
    llvm::Type *type = b.getCurrentFunctionReturnType();
    llvm::Value *words = b.CreateAlloca(type);
    call("zge_fragment", b.getVoidTy(),
         {b.CreateAdd(args[0], args[1]), b.getInt32(isTransposed), words});
    return b.CreateLoad(type, words);
  }
  llvm::Value *pack(Args args, Half type) override {
    return call("zge_pack", b.getInt32Ty(), {number(type), args[0], args[1]});
  }
  llvm::Value *swap(Args args) override {
    return call("zge_shuffle_xor", b.getInt32Ty(),
                {args[0], args[1], b.getInt32(kWarpThreads)});
  }
  llvm::Value *exp2(Args args) override {
    return call("zge_exp2", b.getFloatTy(), args);
  }
  llvm::Value *copy(Args args) override {
    return call("zge_copy", b.getVoidTy(),
                {b.CreateAdd(args[0], args[1]),
                 b.CreateIntToPtr(args[2], b.getPtrTy()), args[3]});
  }
  llvm::Value *endCopies() override {
    return call("zge_end_copies", b.getVoidTy());
  }
  llvm::Value *waitForCopies() override {
    return call("zge_wait_for_copies", b.getVoidTy());
  }
  llvm::Value *waitForOlderCopies() override {
    return call("zge_wait_for_older_copies", b.getVoidTy(),
                {b.getInt32(kNewerCopies)});
  }

  /// Tells the emulator of each access of `function` to memory that is not the
  /// thread's own.
  void prepare(llvm::Function &function) override {
    const llvm::DataLayout &layout = module.getDataLayout();
    // Reports are inserted before the accesses.
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      b.SetInsertPoint(&instruction);
      if (auto *load = dyn_cast<llvm::LoadInst>(&instruction))
        report("zge_read", load->getPointerOperand(),
               layout.getTypeStoreSize(load->getType()), load->getAlign());
      else if (auto *store = dyn_cast<llvm::StoreInst>(&instruction))
        report("zge_write", store->getPointerOperand(),
               layout.getTypeStoreSize(store->getValueOperand()->getType()),
               store->getAlign());
      else if (auto *call = dyn_cast<llvm::IntrinsicInst>(&instruction))
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
