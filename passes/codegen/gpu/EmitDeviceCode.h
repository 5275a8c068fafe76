//===- EmitDeviceCode.h - From kernels to code for GPUs ---------*- C++ -*-===//
//
// A kernel for a GPU is a function that each thread runs,
//
//   @k(operands..., thread of the group, shared memory, begin, end)
//
// which calls zg.shuffle and zg.sync (Shuffle.h).  Here it gets an entry for
// the device, which determines the thread and the units of its group, and
// definitions of those two functions for the device:
//
//   NVIDIA     NVPTX of LLVM: PTX, and a cubin where ptxas is found
//   emulated   the same functions as x86 code, which calls an emulator of
//              threads (test/emulator) at each access of memory that others see
//
// Where many blocks share a unit (BlockCode.h), the thread is the block's, and
// the unit and the part of it are passed in the place of a range.
//
// An entry has an address per operand, and the number of units, as parameters.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace mlir::zero {

/// The launch of a kernel: blocks of `threads`, as many as its units need.  A
/// kernel with several launches has several of these, in their order.
struct DeviceKernel {
  std::string name;  ///< the kernel's name in the plan
  std::string entry; ///< its symbol on the device
  uint32_t threads = 0;
  uint32_t unitsPerBlock = 0;
  uint32_t sharedBytes = 0; ///< bytes of a block
  /// Where many blocks share a unit; else 0.
  uint32_t blocksPerUnit = 0;
  std::string function; ///< the function that the entry calls
  /// All threads of a block have its units together; else groups of 16 do.
  bool isBlock = false;
  /// For functions of the runtime, which are no kernels of a plan: the elements
  /// of a unit; else 0.  Their entry receives elements in place of units.
  uint32_t unitElements = 0;
  /// Intermediate values are rounded to 16 bits: results are only near the
  /// CPU's.
  bool rounds = false;
  /// Blocks that shall run on a processor at once; 0: as many as possible.
  uint32_t blocksAtOnce = 0;
};

struct DeviceCode {
  std::unique_ptr<llvm::Module> module;
  std::vector<DeviceKernel> kernels;
  /// Kernels that need a function that GPUs do not have, and its name.  A
  /// module for NVPTX lacks these kernels.
  std::vector<std::pair<std::string, std::string>> missing;
};

/// Translates kernels that lowerKernelsToGpu has lowered to a module for NVPTX.
DeviceCode translateForNvidia(ModuleOp kernels, llvm::LLVMContext &context,
                              StringRef arch);
/// The same for the emulator.
DeviceCode translateForEmulator(ModuleOp kernels, llvm::LLVMContext &context);

/// Compiles `module` to PTX, for GPUs from `arch` ("sm_90") on.
llvm::Expected<std::string> emitPtx(llvm::Module &module, StringRef arch);

} // namespace mlir::zero
