//===- EmitDeviceCode.h - From kernels to code for GPUs ---------*- C++ -*-===//
//
// A kernel for a GPU is a function of what each thread does,
//
//   @k(operands..., thread of the group, shared memory, begin, end)
//
// which calls zg.shuffle and zg.sync (Shuffle.h).  Here it gets an entry for the
// device, which finds out which thread it is and which units its group has, and
// those two functions in the device's terms:
//
//   NVIDIA     NVPTX of LLVM: PTX, and a cubin where ptxas is found
//   emulated   the same functions as x86 code, which calls an emulator of threads
//              (test/emulator) at each access of memory that others see
//
// Where many blocks share a unit (BlockCode.h), the thread is that of the block, and
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

/// How a kernel is launched: blocks of `threads`, as many as its units need.  Of
/// one that has several launches there are several of these, in their order.
struct DeviceKernel {
  std::string name;  ///< the kernel's in the plan
  std::string entry; ///< its symbol on the device
  uint32_t threads;
  uint32_t unitsPerBlock;
  uint32_t sharedBytes; ///< of a block
  /// Where many blocks share a unit; else 0.
  uint32_t blocksPerUnit = 0;
  std::string function; ///< that the entry calls
  /// All threads of a block have its units together; else groups of 16 do.
  bool isBlock = false;
  /// Not 0 for functions of the runtime, which are no kernels of a plan: how many
  /// elements are a unit.  Their entry is given elements in place of units.
  uint32_t unitElements = 0;
  /// Numbers pass through 16 bits on the way: results are near the CPU's.
  bool rounds = false;
  /// Blocks that shall run on a processor at once; 0: as many as there can.
  uint32_t blocksAtOnce = 0;
};

struct DeviceCode {
  std::unique_ptr<llvm::Module> module;
  std::vector<DeviceKernel> kernels;
  /// Kernels that need a function that GPUs do not have, and its name.  A module for
  /// NVPTX is without them.
  std::vector<std::pair<std::string, std::string>> missing;
};

/// Kernels that lowerKernelsToGpu has lowered, as a module for NVPTX.
DeviceCode translateForNvidia(ModuleOp kernels, llvm::LLVMContext &context,
                              StringRef arch);
/// The same for the emulator.
DeviceCode translateForEmulator(ModuleOp kernels, llvm::LLVMContext &context);

/// PTX of `module`, for GPUs from `arch` ("sm_90") on.
llvm::Expected<std::string> emitPtx(llvm::Module &module, StringRef arch);

} // namespace mlir::zero
