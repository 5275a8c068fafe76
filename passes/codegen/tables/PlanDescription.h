//===- PlanDescription.h - A plan's description as constants --------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "passes/codegen/gpu/EmitDeviceCode.h"
#include "passes/codegen/tables/LibraryAttention.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace mlir::zero {

/// The device of a plan that is not the host's processors, and its code.
struct PlanDevice {
  std::string target;      ///< "cuda"
  std::string arch;        ///< "sm_90"
  std::string collectives; ///< "host", "nccl", "direct"
  std::string maker;       ///< the function that makes the device at run time
  struct Image {
    std::string kind, bytes;
  };
  std::vector<Image> images;
  std::vector<DeviceKernel> kernels;
  std::vector<LibraryAttention> attentions = {};
};

/// The description of a training binary besides its plan.
struct PlanInfo {
  std::string model, options, cpu, features;
  uint64_t modelHash; ///< zrt_plan.model_hash
  /// The memory certificate as JSON.
  std::string certificate;
  /// Lines of the memory certificate, of the arenas in use.
  struct Category {
    uint32_t tier;
    std::string name;
    uint64_t bytes;
  };
  std::vector<Category> categories;
  /// None: the host's processors.
  std::optional<PlanDevice> device = std::nullopt;
};

/// Builds plan.o's module from a plan whose kernels are formed:
/// `zrt_compiled_plan` and the constants that it points to.  Kernels are the
/// external functions `zk.NAME`.  Null after an error, which has been reported.
std::unique_ptr<llvm::Module>
describePlan(ModuleOp plan, llvm::LLVMContext &context, const PlanInfo &info);

} // namespace mlir::zero
