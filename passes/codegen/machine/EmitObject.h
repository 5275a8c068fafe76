//===- EmitObject.h - From kernels to machine code ------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
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
