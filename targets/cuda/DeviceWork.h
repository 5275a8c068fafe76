//===- DeviceWork.h - Work of a plan that needs device code -----*- C++ -*-===//
#pragma once

#include "dialect/zero/Zero.h"
#include "mlir/IR/OwningOpRef.h"
#include "passes/RunPasses.h"
#include "passes/codegen/gpu/runtime/RuntimeKernels.h"

namespace mlir::zero {

/// The work of the device's streams in the programs of a plan.  Updates in host
/// memory run on the host's processors on any target.
struct DeviceWork {
  SmallVector<KernelOp> kernels;   ///< in the plan's order
  SmallVector<KernelOp> libraries; ///< that a library computes
  SmallVector<RuntimeKernel> more; ///< other kernels of its image
};

/// Finds the work of a plan whose kernels are formed; with `addsUp`, for GPUs
/// that exchange among themselves, also the sums over ranks.  Emits an error
/// that names the operations that a GPU cannot do yet.
FailureOr<DeviceWork> findDeviceWork(ModuleOp plan, bool addsUp = false);

/// Lowers the kernels of `work` for threads of a GPU, into a module of their
/// own; null after an error, which has been reported.  `attention` and `arch`
/// are those of lowerKernelsToGpu.
OwningOpRef<ModuleOp> lowerDeviceWork(ModuleOp plan, const DeviceWork &work,
                                      PassManagerSetup setup = {},
                                      StringRef attention = "",
                                      StringRef arch = "");

} // namespace mlir::zero
