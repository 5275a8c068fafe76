//===- EmitObject.h - From kernels to machine code ------------------------===//
#pragma once

#include "passes/RunPasses.h"
#include "passes/codegen/gpu/RuntimeKernels.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace mlir::zero {

/// The machine that code is generated for.
struct CpuTarget {
  std::string cpu;         ///< LLVM's name, e.g. "znver4"
  std::string features;    ///< LLVM's feature string
  std::string description; ///< what the user asked for: "native (znver4)"
  std::string required;    ///< features a machine must have: "avx2,fma,avx512f"
  std::string ofHalves;    ///< `required`, for products of 16 bits
};

/// Resolves --cpu: "native", or any CPU name of LLVM such as "x86-64-v3".
llvm::Expected<CpuTarget> resolveCpu(StringRef option);

/// Creates kernels for the operations of `plan` that have none, such as
/// updates.
LogicalResult formPlanKernels(ModuleOp plan, PassManagerSetup setup = {});

/// Lowers the kernels of a module to the LLVM dialect, and drops all else.
/// With `reference`, model kernels take upstream's scalar loops.
LogicalResult lowerKernelsToCpu(ModuleOp module, bool reference,
                                PassManagerSetup setup = {});

/// Lowers kernels for the threads of a GPU (gpu/EmitDeviceCode.h), together
/// with `more`, which the runtime calls there.  `attention` selects the
/// products of attention: "f32", "tensor-cores", or "" for tensor cores where
/// possible.
LogicalResult lowerKernelsToGpu(ModuleOp module,
                                ArrayRef<RuntimeKernel> more = {},
                                PassManagerSetup setup = {},
                                StringRef attention = "");

/// Translates lowered kernels and adds an entry `zk.NAME` of type zrt_kernel_fn
/// for each.
std::unique_ptr<llvm::Module> translateKernels(ModuleOp kernels,
                                               llvm::LLVMContext &context,
                                               const CpuTarget &target);

/// Compiles `module` to an object file, with optimizations (optimizeKernels) if
/// `optimise`.
llvm::Error emitObject(llvm::Module &module, const CpuTarget &target,
                       bool optimise, StringRef path);

} // namespace mlir::zero
