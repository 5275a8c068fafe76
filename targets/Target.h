//===- Target.h - What runs the device's streams of a plan ------*- C++ -*-===//
//
// A plan runs on the host's processors, or on a device of its own with the host
// beside it.  What differs between the two is told by a Target, one for each
// name of --target; no pass asks which it is.  A target for another device is a
// folder here, and one in runtime/device.
//
//   targets/cpu    the host's processors
//   targets/cuda   GPUs of NVIDIA, and the tests' emulator of one
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"
#include "passes/RunPasses.h"
#include "passes/codegen/machine/EmitObject.h"
#include "passes/codegen/tables/PlanDescription.h"
#include "targets/TemporaryFolder.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::zero {

/// The options that only some targets have, as the command line gives them.
struct TargetOptions {
  /// Of a device: one of getArchs().
  std::string arch;
  /// How ranks exchange data of the device: "nccl", "direct", or "host", the
  /// only way of the host's processors.
  std::string collectives = "nccl";
  /// What multiplies in attention: "f32", "bf16" (processors), "tensor-cores"
  /// or "cudnn" (GPUs), or "" for the device's choice.
  std::string attention;
};

/// The value of --attention with which the pipeline makes operations of a
/// library of attention.
constexpr llvm::StringLiteral kCudnn = "cudnn";

class Target {
public:
  virtual ~Target() = default;

  /// The name of --target.
  virtual StringRef getName() const = 0;
  /// The architectures that code can be generated for; none if the target is
  /// the host's processors.
  virtual ArrayRef<StringRef> getArchs() const { return {}; }
  /// True if products of device tensors run on the host's processors.
  virtual bool multipliesOnHost() const { return true; }
  /// Bytes of the device that products use while they run.
  virtual int64_t getWorkspace(StringRef /*arch*/) const { return 0; }
  /// Lines of the certificate: what a rank uses outside of the arenas.
  virtual std::vector<std::string>
  listOutside(ModuleOp plan, const TargetOptions &options) const = 0;
  /// Compiles the device's code of `plan`, whose kernels are formed; nothing
  /// without a device.  Errors of the plan have been reported as well.  `cpu`
  /// is the host's processor.
  virtual llvm::Expected<std::optional<PlanDevice>>
  emitDevice(ModuleOp plan, const TargetOptions &options, const CpuTarget &cpu,
             const TemporaryFolder &folder, PassManagerSetup setup) const = 0;
  /// The name of the shared object that the program needs for its device; "" if
  /// none.
  virtual StringRef getAttachment() const { return ""; }
  /// The error if that was not built, given why it was not found.
  virtual std::string explainMissing(const std::string &why) const {
    return why;
  }
};

/// The names of all targets, the host's processors first.
ArrayRef<StringRef> getTargetNames();
/// The target of this name, which must exist.
const Target &getTarget(StringRef name);

/// Sets zero.target of `plan`, which is below level memory.
void setTarget(ModuleOp plan, const Target &target, StringRef arch);
/// Refuses a plan at level memory that was made for another target.
llvm::Error checkTarget(ModuleOp plan, StringRef input, const Target &target,
                        StringRef arch);

const Target &getCpuTarget();
const Target &getCudaTarget();

} // namespace mlir::zero
