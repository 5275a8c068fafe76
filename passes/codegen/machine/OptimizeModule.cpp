//===- OptimizeModule.cpp - LLVM's optimizations --------------------------===//

#include "passes/codegen/machine/OptimizeModule.h"

#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

/// Runs the passes that `build` returns.
template <typename Build>
static void run(llvm::Module &module, llvm::TargetMachine &machine,
                Build build) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  llvm::ModulePassManager passes = build(builder);
  passes.run(module, modules);
}

void zero::runO3(llvm::Module &module, llvm::TargetMachine &machine) {
  run(module, machine, [](llvm::PassBuilder &builder) {
    return builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3);
  });
}

void zero::optimizeKernels(llvm::Module &module, llvm::TargetMachine &machine) {
  run(module, machine, [](llvm::PassBuilder &builder) {
    llvm::ModulePassManager passes;
    llvm::cantFail(builder.parsePassPipeline(
        passes, "cgscc(inline),function(sroa,early-cse<memssa>,simplifycfg,"
                "instcombine<no-verify-fixpoint>,loop-mssa(loop-rotate,licm),"
                "loop-vectorize,loop-unroll<O3>,early-cse,"
                "instcombine<no-verify-fixpoint>,simplifycfg)"));
    return passes;
  });
}
