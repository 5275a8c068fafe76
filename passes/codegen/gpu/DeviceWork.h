//===- DeviceWork.h - What a plan needs code of a device for ----*- C++ -*-===//
#pragma once

#include "dialect/zero/Zero.h"
#include "mlir/IR/OwningOpRef.h"
#include "passes/RunPasses.h"
#include "passes/codegen/gpu/RuntimeKernels.h"

namespace mlir::zero {

/// What the streams of the device do in the programs of a plan.  Updates in host
/// memory are the processors' on any target.
struct DeviceWork {
  SmallVector<KernelOp> kernels; ///< in the plan's order
  RuntimeKernels more;
};

/// Of a plan whose kernels are formed; where GPUs exchange among themselves, with
/// the sums that they add up (`addsUp`).  Emits an error for what a GPU cannot do
/// yet, which names the operations.
FailureOr<DeviceWork> findDeviceWork(ModuleOp plan, bool addsUp = false);

/// The kernels of `work`, lowered for threads of a GPU, in a module of their own;
/// null after an error, which has been reported.  `attention` is that of
/// lowerKernelsToGpu.
OwningOpRef<ModuleOp> lowerDeviceWork(ModuleOp plan, const DeviceWork &work,
                                      PassManagerSetup setup = {},
                                      StringRef attention = "");

/// Bytes of the device that products of a plan for `arch` ("sm_90", "emulated")
/// use while they run.
int64_t getProductWorkspace(StringRef arch);

} // namespace mlir::zero
