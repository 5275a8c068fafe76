//===- PlanDescription.h - What a plan says of itself, as constants -------===//
#ifndef PASSES_CODEGEN_PLANDESCRIPTION_H
#define PASSES_CODEGEN_PLANDESCRIPTION_H

#include "mlir/IR/BuiltinOps.h"
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace mlir::zero {

/// What a training binary says about itself besides its plan.
struct PlanInfo {
  std::string model, options, cpu, features;
  /// The memory certificate as JSON.
  std::string certificate;
  /// Lines of the memory certificate, of the arenas in use.
  struct Category {
    uint32_t tier;
    std::string name;
    uint64_t bytes;
  };
  std::vector<Category> categories;
};

/// Builds plan.o's module from a plan whose kernels are formed:
/// `zrt_compiled_plan` and the constants that it points to.  Kernels are the
/// external functions `zk.NAME`.  Null after an error, which has been reported.
std::unique_ptr<llvm::Module>
describePlan(ModuleOp plan, llvm::LLVMContext &context, const PlanInfo &info);

} // namespace mlir::zero

#endif // PASSES_CODEGEN_PLANDESCRIPTION_H
