//===- zero-opt.cpp - Runs any pass, for tests ----------------------------===//
#include "dialect/zero/Sizes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Pipeline.h"
#include "passes/codegen/Passes.h"
#include "tools/DebugOnly.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

namespace {

/// Checks sizes, as the pipeline does before its first pass.
struct CheckSizes : PassWrapper<CheckSizes, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckSizes)
  void runOnOperation() override {
    if (failed(zero::checkSizes(getOperation())))
      signalPassFailure();
  }
};

/// Registers upstream's passes that the pipelines consist of beside ours, which
/// a pipeline of a crash report names, too.
void registerUpstreamPasses() {
  registerTransformsPasses();
  bufferization::registerEmptyTensorEliminationPass();
  bufferization::registerOneShotBufferizePass();
  memref::registerExpandStridedMetadataPass();
  registerConvertLinalgToLoopsPass();
  registerLowerAffinePass();
  registerConvertBufferizationToMemRefPass();
  registerSCFToControlFlowPass();
  registerConvertVectorToLLVMPass();
  registerConvertMathToLLVMPass();
  registerConvertMathToLibmPass();
  registerConvertIndexToLLVMPass();
  registerArithToLLVMConversionPass();
  registerFinalizeMemRefToLLVMConversionPass();
  registerConvertFuncToLLVMPass();
  registerConvertControlFlowToLLVMPass();
  registerReconcileUnrealizedCastsPass();
}

} // namespace

int main(int argc, char **argv) {
  DialectRegistry registry;
  zero::registerPipelineDialects(registry);
  zero::registerPipelinePasses();
  zero::registerCodegenPasses();
  registerUpstreamPasses();
  zero::declareDebugOnly();
  auto [input, output] =
      registerAndParseCLIOptions(argc, argv, "zeroc's passes\n", registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  config.setPassPipelineSetupFn(
      [given = MlirOptMainConfig::createFromCLOptions()](PassManager &passes) {
        passes.addPass(std::make_unique<CheckSizes>());
        return given.setupPassPipeline(passes);
      });
  llvm::InitLLVM init(argc, argv);
  std::string error;
  auto file = openInputFile(input, &error);
  auto result = file ? openOutputFile(output, &error) : nullptr;
  if (!result) {
    llvm::errs() << error << "\n";
    return 1;
  }
  if (failed(MlirOptMain(result->os(), std::move(file), registry, config)))
    return 1;
  result->keep();
  return 0;
}
