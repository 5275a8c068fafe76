//===- LowerKernelsToCpu.cpp - Kernels from tensors to the LLVM dialect ---===//
//
// 1. Attention kernels become calls of the runtime, scatter kernels loops, both
//    on memref views.
// 2. All others go through one-shot bufferization and become loops over their
//    units with vector loops inside (UnitLoops, VectorLoops).
// 3. Functions of math become polynomials; then everything goes to LLVM.
//
// With `reference`, kernels of the model take upstream's plain path instead:
// linalg to scalar loops, libm, and heap temporaries.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/EmitObject.h"
#include "passes/codegen/KernelCode.h"
#include "passes/codegen/ReferenceLowering.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/KernelUnits.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

void registerCodegenDialects(DialectRegistry &registry) {
  registry.insert<affine::AffineDialect, arith::ArithDialect,
                  bufferization::BufferizationDialect, cf::ControlFlowDialect,
                  func::FuncDialect, linalg::LinalgDialect, LLVM::LLVMDialect,
                  math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
                  tensor::TensorDialect, vector::VectorDialect,
                  x86vector::X86VectorDialect, ZeroDialect>();
}

LogicalResult lowerReferenceKernel(KernelOp bodyOnTensors) {
  auto module = bodyOnTensors->getParentOfType<ModuleOp>();
  PassManager prepare(module->getName());
  addReferencePreparation(prepare);
  if (failed(prepare.run(module)))
    return failure();
  if (failed(bufferizeKernels(module, bodyOnTensors)))
    return failure();
  func::FuncOp kernel = toFunction(bodyOnTensors);
  appendKernelArguments(kernel);
  PassManager pm(module->getName());
  bufferization::BufferDeallocationPipelineOptions deallocation;
  bufferization::buildBufferDeallocationPipeline(pm, deallocation);
  if (failed(pm.run(module)))
    return failure();
  lowerCopies(kernel);
  // This kernel only: the plan's own work on the elements that they are given.
  PassManager loops(kernel->getName());
  loops.addPass(createConvertLinalgToLoopsPass());
  return loops.run(kernel);
}

void addLowering(OpPassManager &pm, bool approximate) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createLoopInvariantCodeMotionPass());
  if (approximate)
    pm.addPass(createApproximateMath());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createConvertBufferizationToMemRefPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertVectorToLLVMPass());
  ConvertMathToLLVMPassOptions math;
  math.approximateLog1p = false;
  pm.addPass(createConvertMathToLLVMPass(math));
  pm.addPass(createConvertMathToLibmPass());
  // What libm has no vectors of was taken apart into lanes.
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
  pm.addPass(createCanonicalizerPass());
}

LogicalResult lowerToLoops(ModuleOp module, bool reference) {
  SmallVector<KernelOp> loops, onTensors;
  SmallVector<KernelOp> kernels(module.getOps<KernelOp>());
  for (KernelOp kernel : kernels) {
    bool isBufferized = kernel.isBufferized();
    if (reference && !isBufferized) {
      // One kernel is the whole model: take upstream's plain path, and leave
      // the plan's own kernels (updates, norms) to the loops below.
      if (failed(lowerReferenceKernel(kernel)))
        return failure();
      continue;
    }
    KernelKind kind = *kernel.getKind();
    if (kind == KernelKind::Attention || kind == KernelKind::Scatter) {
      func::FuncOp function = toFunction(kernel);
      if (failed(kind == KernelKind::Attention ? emitAttentionKernel(function)
                                               : emitScatterKernel(function)))
        return failure();
      continue;
    }
    loops.push_back(kernel);
    if (!isBufferized)
      onTensors.push_back(kernel);
  }
  if (!reference) {
    PassManager clean(module->getName());
    clean.addPass(createCanonicalizerPass());
    clean.addPass(createCSEPass());
    if (failed(bufferizeKernels(module, onTensors)) ||
        failed(clean.run(module)))
      return failure();
  }
  for (KernelOp kernel : loops) {
    KernelUnits units{*kernel.getKind(),
                      SmallVector<int64_t>(kernel.getSpace())};
    func::FuncOp function = toFunction(kernel);
    appendKernelArguments(function);
    if (failed(emitUnitLoops(function, units)))
      return failure();
  }
  return success();
}

/// For tests: what EmitObject does before translation.
struct LowerKernelsToCpuPass
    : PassWrapper<LowerKernelsToCpuPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerKernelsToCpuPass)
  LowerKernelsToCpuPass() = default;
  LowerKernelsToCpuPass(const LowerKernelsToCpuPass &other)
      : PassWrapper(other) {}
  StringRef getArgument() const override { return "zero-lower-kernels-to-cpu"; }
  StringRef getDescription() const override {
    return "Lowers kernels to loops (stop-at-loops) or to the LLVM dialect";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registerCodegenDialects(registry);
  }
  Option<bool> reference{*this, "reference", llvm::cl::init(false)};
  Option<bool> stopAtLoops{*this, "stop-at-loops", llvm::cl::init(false)};
  void runOnOperation() override {
    for (auto function : llvm::make_early_inc_range(
             getOperation().getOps<FunctionOpInterface>()))
      if (!isa<KernelOp>(function))
        function.erase();
    LogicalResult result =
        stopAtLoops ? lowerToLoops(getOperation(), reference)
                    : lowerKernelsToCpu(getOperation(), {}, reference);
    if (failed(result))
      signalPassFailure();
  }
};

} // namespace

void zero::registerCodegenPasses() {
  PassRegistration<LowerKernelsToCpuPass>();
}

LogicalResult zero::lowerKernelsToCpu(ModuleOp module, const CpuTarget &,
                                      bool reference) {
  DialectRegistry registry;
  registerCodegenDialects(registry);
  module.getContext()->appendDialectRegistry(registry);
  module.getContext()->loadAllAvailableDialects();
  if (failed(lowerToLoops(module, reference)))
    return failure();
  PassManager pm(module->getName());
  addLowering(pm, /*approximate=*/!reference);
  return pm.run(module);
}
