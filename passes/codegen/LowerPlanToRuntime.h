//===- LowerPlanToRuntime.h - The step as tables of zrt -------------------===//
#ifndef PASSES_CODEGEN_LOWERPLANTORUNTIME_H
#define PASSES_CODEGEN_LOWERPLANTORUNTIME_H

#include "passes/codegen/PlanKernels.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace mlir::zero {

/// What a training binary says about itself besides its plan.
struct PlanInfo {
  std::string model, options, cpu, features;
  std::vector<std::pair<std::string, uint64_t>> categories;
};

using LaunchMap = DenseMap<Operation *, PlanLaunch>;

/// Builds plan.o's module: `zrt_compiled_plan` and the constants that it points
/// to.  Kernels are the external functions `zk.NAME`.  Null after an error,
/// which has been reported.
std::unique_ptr<llvm::Module> lowerPlanToRuntime(ModuleOp plan,
                                                 const LaunchMap &launches,
                                                 llvm::LLVMContext &context,
                                                 const PlanInfo &info);

} // namespace mlir::zero

#endif // PASSES_CODEGEN_LOWERPLANTORUNTIME_H
