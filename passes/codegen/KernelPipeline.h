//===- KernelPipeline.h - Kernels from tensors to the LLVM dialect --------===//
#pragma once

#include "numerics/Kernel16.h"
#include "passes/RunPasses.h"
#include "passes/codegen/gpu/runtime/RuntimeKernels.h"

namespace mlir::zero {

/// Creates kernels for the operations of `plan` that have none, such as
/// updates.
LogicalResult formPlanKernels(ModuleOp plan, PassManagerSetup setup = {});

/// Lowers the kernels of a module to the LLVM dialect, and drops all else.
/// With `reference`, model kernels take upstream's scalar loops.  `products`
/// multiplies in attention of 16 bits.
LogicalResult lowerKernelsToCpu(ModuleOp module, bool reference,
                                PassManagerSetup setup = {},
                                zrt::Kernel16 products = zrt::Kernel16::Widen);

/// Lowers kernels for the threads of a GPU (gpu/EmitDeviceCode.h), together
/// with `more`, which the runtime calls there.  `attention` selects the
/// products of attention: "f32", "tensor-cores", or "" for tensor cores where
/// possible.  `arch` is the GPU, "sm_90", or "" for what all have.
LogicalResult lowerKernelsToGpu(ModuleOp module,
                                ArrayRef<RuntimeKernel> more = {},
                                PassManagerSetup setup = {},
                                StringRef attention = "", StringRef arch = "");

} // namespace mlir::zero
