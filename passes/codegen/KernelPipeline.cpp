//===- KernelPipeline.cpp - From tensors to the LLVM dialect --------------===//
//
// 1. The plan's own operations get kernels (FormPlanKernels); after that only
//    kernels are kept of a plan.
// 2. Attention kernels become calls of the runtime, scatter kernels loops, both
//    on memref views.
// 3. All others go through one-shot bufferization and become loops over their
//    units with vector loops inside (UnitLoops, VectorLoops).
// 4. Functions of math become polynomials; then everything goes to LLVM.
//
// With `gpu`, a kernel is the code of one thread of a GPU (gpu/).  Only
// steps 2 and 3 differ: vectors have 4 elements instead of 16, and sums go over
// the threads of a half-warp.
//
// With `reference`, kernels of the model take upstream's plain path instead:
// linalg to scalar loops, libm, and heap temporaries.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/KernelPipeline.h"

#include "passes/codegen/KernelCode.h"
#include "passes/codegen/Passes.h"
#include "passes/codegen/ReferenceLowering.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/BufferizationToMemRef/BufferizationToMemRef.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::zero;

/// Upstream's one-shot bufferization handles values, but not results
/// (BufferizeKernels.cpp).
static void addBufferization(OpPassManager &pm) {
  pm.addPass(createPrepareBuffers());
  pm.addPass(bufferization::createEmptyTensorEliminationPass());
  pm.addPass(createToDestinationForm());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.allowReturnAllocsFromLoops = true;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  pm.addPass(createPlaceResults());
}

/// The whole model as one function of scalar loops; the plan's own kernels
/// (updates, norms) stay kernels.
static void addReferenceLoops(OpPassManager &pm) {
  pm.addPass(createReferenceToFunction());
  addReferencePreparation(pm);
  addBufferization(pm);
  pm.addPass(createReferenceUnits());
  bufferization::BufferDeallocationPipelineOptions deallocation;
  bufferization::buildBufferDeallocationPipeline(pm, deallocation);
  pm.addPass(createCopiesToLinalg());
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
}

static void addLowering(OpPassManager &pm, bool approximate, bool forGpu) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createLoopInvariantCodeMotionPass());
  if (approximate)
    pm.addPass(createApproximateMath({forGpu}));
  pm.addPass(createExpandBFloat16({forGpu}));
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createConvertBufferizationToMemRefPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertVectorToLLVMPass());
  ConvertMathToLLVMPassOptions math;
  math.approximateLog1p = false;
  pm.addPass(createConvertMathToLLVMPass(math));
  pm.addPass(createConvertMathToLibmPass());
  // Vector functions that libm lacks were split into lanes before.
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  ConvertFuncToLLVMPassOptions functions;
  functions.useBarePtrCallConv = true;
  pm.addPass(createConvertFuncToLLVMPass(functions));
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createMoveBFloat16AsIntegers());
  pm.addPass(createCanonicalizerPass());
}

void zero::buildKernelPipeline(OpPassManager &pm,
                               const KernelPipelineOptions &options) {
  pm.addPass(createKeepKernels());
  if (options.reference) {
    addReferenceLoops(pm);
  } else {
    pm.addPass(
        createLowerHandWrittenKernels({options.forGpu, options.attention}));
    addBufferization(pm);
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
    pm.addPass(createCopiesToLinalg());
  }
  pm.addPass(createLowerUnitsToLoops({options.forGpu, options.sharedLimit}));
  if (!options.stopAtLoops)
    addLowering(pm, /*approximate=*/!options.reference, options.forGpu);
}

void zero::registerCodegenPasses() {
  registerZeroCodegenPasses();
  PassPipelineRegistration<KernelPipelineOptions>(
      "zero-lower-kernels-to-cpu",
      "Lowers the kernels of a plan to loops, or to the LLVM dialect",
      [](OpPassManager &pm, const KernelPipelineOptions &options) {
        pm.addPass(createFormPlanKernels());
        buildKernelPipeline(pm, options);
      });
}

/// Runs passes without the verification between them, a tenth of the time of a
/// compilation.  Tests run the same pipelines with it (zero-opt).
static LogicalResult
runUnverified(ModuleOp module, PassManagerSetup setup,
              llvm::function_ref<void(OpPassManager &)> build) {
  PassManager pm(module->getName());
  pm.enableVerifier(false);
  build(pm);
  return runPasses(pm, module, setup);
}

// Kernels are verified later, when nothing else is left.
LogicalResult zero::formPlanKernels(ModuleOp plan, PassManagerSetup setup) {
  return runUnverified(plan, setup, [](OpPassManager &pm) {
    pm.addPass(createFormPlanKernels());
  });
}

static LogicalResult lowerKernels(ModuleOp module,
                                  const KernelPipelineOptions &options,
                                  PassManagerSetup setup) {
  return runUnverified(module, setup, [&](OpPassManager &pm) {
    buildKernelPipeline(pm, options);
  });
}

LogicalResult zero::lowerKernelsToCpu(ModuleOp module, bool reference,
                                      PassManagerSetup setup,
                                      zrt::Kernel16 products) {
  KernelPipelineOptions options;
  options.reference = reference;
  options.attention = products == zrt::Kernel16::AmxBoth     ? "both-tiles"
                      : products == zrt::Kernel16::AmxBrains ? "tiles"
                      : products == zrt::Kernel16::DotBrains ? "dots"
                                                             : "f32";
  if (failed(lowerKernels(module, options, setup)))
    return failure();
  return verify(module);
}

/// The most bytes of shared memory of a block (CUDA programming guide): code
/// for sm_80 runs on GPUs that have 99 KiB, such as sm_86.  So does code for
/// sm_90 (sm_120), but there the program names the number and ends.
static int64_t getSharedLimit(StringRef arch) {
  return llvm::is_contained({"sm_90", "sm_100", "sm_103", "sm_110"}, arch)
             ? 227 << 10
             : 99 << 10;
}

LogicalResult zero::lowerKernelsToGpu(ModuleOp module,
                                      ArrayRef<RuntimeKernel> more,
                                      PassManagerSetup setup,
                                      StringRef attention, StringRef arch) {
  KernelPipelineOptions options;
  options.attention = attention.str();
  options.forGpu = options.stopAtLoops = true;
  options.sharedLimit = getSharedLimit(arch);
  if (failed(lowerKernels(module, options, setup)))
    return failure();
  for (const RuntimeKernel &kernel : more)
    emitRuntimeKernel(module, kernel);
  if (failed(runUnverified(module, setup, [](OpPassManager &pm) {
        addLowering(pm, /*approximate=*/true, /*forGpu=*/true);
      })))
    return failure();
  return verify(module);
}
