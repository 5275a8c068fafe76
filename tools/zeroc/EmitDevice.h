//===- EmitDevice.h - Code for the device of a plan -------------*- C++ -*-===//
#pragma once

#include "passes/RunPasses.h"
#include "passes/codegen/EmitObject.h"
#include "passes/codegen/PlanDescription.h"
#include "tools/zeroc/TemporaryFolder.h"

namespace mlir::zero {

/// The names that --cuda-arch accepts.
llvm::ArrayRef<StringRef> getCudaArchs();

/// Checks that `plan`, at level memory, was made for the target: with a
/// workspace for products of `arch`, or for none if that is "".
llvm::Error checkTarget(ModuleOp plan, StringRef input, StringRef arch);

/// Compiles `plan`, whose kernels are formed, for GPUs of `arch`; errors of the
/// plan have been reported as well.  `collectives` is the way in which GPUs
/// exchange data ("host", "nccl", "direct"), and `attention` selects how
/// attention multiplies; `cpu` is the target of an emulated GPU.
llvm::Expected<PlanDevice> emitDevice(ModuleOp plan, StringRef arch,
                                      StringRef collectives,
                                      StringRef attention, const CpuTarget &cpu,
                                      const TemporaryFolder &folder,
                                      PassManagerSetup setup);

} // namespace mlir::zero
