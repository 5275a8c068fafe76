//===- GpuIntrinsics.h - Code in which devices differ -----------*- C++ -*-===//
#pragma once

#include "mlir/Support/LLVM.h"
#include "passes/codegen/gpu/EmitDeviceCode.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include <memory>
#include <string>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace mlir::zero {

/// Emits the code with which a device's threads find their place and reach
/// others.
class GpuIntrinsics {
public:
  explicit GpuIntrinsics(llvm::Module &module)
      : module(module), b(module.getContext()) {}
  virtual ~GpuIntrinsics() = default;

  /// Creates an empty entry, and moves `b` to its beginning.
  virtual llvm::Function *createEntry(const DeviceKernel &kernel,
                                      ArrayRef<llvm::Type *> parameters) = 0;
  /// Parameter `i` of the entry.
  virtual llvm::Value *getParameter(unsigned i, llvm::Type *type) = 0;
  virtual llvm::Value *getThread() = 0;
  virtual llvm::Value *getBlock() = 0;
  /// The shared memory of the block, `bytes` bytes.
  virtual llvm::Value *getShared(int64_t bytes) = 0;
  // The functions that kernels call (Shuffle.h, Warp.h): each emits the value
  // of such a function for its arguments.  If the function has no result, the
  // value is not used.
  using Args = ArrayRef<llvm::Value *>;
  enum class Half { BF16, F16 };
  virtual llvm::Value *shuffle(Args args) = 0;
  virtual llvm::Value *sync() = 0;
  virtual llvm::Value *barrier() = 0;
  virtual llvm::Value *mma(Args args, Half type) = 0;
  virtual llvm::Value *fragment(Args args, bool isTransposed) = 0;
  virtual llvm::Value *pack(Args args, Half type) = 0;
  virtual llvm::Value *swap(Args args) = 0;
  virtual llvm::Value *exp2(Args args) = 0;
  virtual llvm::Value *copy(Args args) = 0;
  virtual llvm::Value *endCopies() = 0;
  virtual llvm::Value *waitForCopies() = 0;
  virtual llvm::Value *waitForOlderCopies() = 0;
  /// Called before the code of a kernel gets its entry.
  virtual void prepare(llvm::Function &) {}

  /// Moves `b` into `function`, which is empty.
  void begin(llvm::Function *function) {
    b.SetInsertPoint(
        llvm::BasicBlock::Create(module.getContext(), "", function));
  }

  llvm::Module &module;
  llvm::IRBuilder<> b;

protected:
  llvm::Function *entry = nullptr;
};

/// A GPU of NVIDIA, through NVPTX (Nvidia.cpp).
std::unique_ptr<GpuIntrinsics> createNvidia(llvm::Module &module);
/// The emulator of a GPU (Emulated.cpp).
std::unique_ptr<GpuIntrinsics> createEmulated(llvm::Module &module);

/// Null if this build of LLVM has no NVPTX.
std::unique_ptr<llvm::TargetMachine> createNvidiaMachine(StringRef arch);

} // namespace mlir::zero
