//===- OptimizeModule.cpp - LLVM's optimizations --------------------------===//
//
// LLVM's loop vectorizer is left out: the one of LLVM 22 reads only the first
// four elements of a maximum of five to seven (test/codegen/short-rows.test).
// Lowering to loops makes the vectors.
//
//===----------------------------------------------------------------------===//

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
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  llvm::PassBuilder builder(&machine, tuning);
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
                "loop-unroll<O3>,early-cse,"
                "instcombine<no-verify-fixpoint>,simplifycfg)"));
    return passes;
  });
}
