//===- EmitDevice.h - Code for the device of a plan -------------*- C++ -*-===//
#pragma once

#include "passes/RunPasses.h"
#include "passes/codegen/EmitObject.h"
#include "passes/codegen/PlanDescription.h"
#include "tools/zeroc/TemporaryFolder.h"

namespace mlir::zero {

/// The names that --cuda-arch has.
llvm::ArrayRef<StringRef> getCudaArchs();

/// Whether `plan`, at level memory, was made for the target: with a workspace for
/// products of `arch`, or, if that is "", of none.
llvm::Error checkTarget(ModuleOp plan, StringRef input, StringRef arch);

/// The code of `plan`, whose kernels are formed, for GPUs of `arch`; errors of the
/// plan have been reported as well.  `collectives` says how they exchange ("host",
/// "nccl", "direct"), and `attention` what multiplies there; `cpu` is what an
/// emulated one runs on.
llvm::Expected<PlanDevice> emitDevice(ModuleOp plan, StringRef arch,
                                      StringRef collectives,
                                      StringRef attention, const CpuTarget &cpu,
                                      const TemporaryFolder &folder,
                                      PassManagerSetup setup);

} // namespace mlir::zero
