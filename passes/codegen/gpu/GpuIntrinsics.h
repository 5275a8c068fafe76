//===- GpuIntrinsics.h - GpuIntrinsics-specific code of entries -*- C++ -*-===//
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
  /// Define the functions that kernels call.
  virtual void defineShuffle(llvm::Function *function) = 0;
  virtual void defineSync(llvm::Function *function) = 0;
  virtual void defineBarrier(llvm::Function *function) = 0;
  // Functions of a warp (Warp.h).
  enum class Half { BF16, F16 };
  virtual void defineMma(llvm::Function *function, Half type) = 0;
  virtual void defineFragment(llvm::Function *function, bool isTransposed) = 0;
  virtual void definePack(llvm::Function *function, Half type) = 0;
  virtual void defineSwap(llvm::Function *function) = 0;
  virtual void defineExp2(llvm::Function *function) = 0;
  virtual void defineCopy(llvm::Function *function) = 0;
  virtual void defineWaitForCopies(llvm::Function *function) = 0;
  /// Called before the code of a kernel gets its entry.
  virtual void prepare(llvm::Function &) {}

  llvm::Module &module;
  llvm::IRBuilder<> b;

protected:
  llvm::Function *entry = nullptr;

  void begin(llvm::Function *function) {
    b.SetInsertPoint(
        llvm::BasicBlock::Create(module.getContext(), "", function));
  }
};

/// A GPU of NVIDIA, through NVPTX (Nvidia.cpp).
std::unique_ptr<GpuIntrinsics> createNvidia(llvm::Module &module);
/// The emulator of a GPU (Emulated.cpp).
std::unique_ptr<GpuIntrinsics> createEmulated(llvm::Module &module);

/// Null if this build of LLVM has no NVPTX.
std::unique_ptr<llvm::TargetMachine> createNvidiaMachine(StringRef arch);

} // namespace mlir::zero
