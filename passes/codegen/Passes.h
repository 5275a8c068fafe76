//===- Passes.h - From kernels to machine code ----------------------------===//
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"
#include "mlir/Pass/Pass.h"

namespace mlir::zero {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/codegen/Passes.h.inc"

/// Options of the lowering of kernels.
struct KernelPipelineOptions : PassPipelineOptions<KernelPipelineOptions> {
  Option<bool> reference{
      *this, "reference",
      llvm::cl::desc("kernels of the model take upstream's scalar loops"),
      llvm::cl::init(false)};
  Option<bool> forGpu{*this, "gpu", llvm::cl::desc("for half-warps of a GPU"),
                      llvm::cl::init(false)};
  Option<std::string> attention{
      *this, "attention",
      llvm::cl::desc("what multiplies in attention on a GPU: f32, "
                     "tensor-cores, or tensor cores where they can"),
      llvm::cl::init("")};
  Option<int64_t> sharedLimit{
      *this, "shared-limit",
      llvm::cl::desc("on a GPU, the most bytes of shared memory of a block"),
      llvm::cl::init(0)};
  Option<bool> stopAtLoops{*this, "stop-at-loops",
                           llvm::cl::desc("not down to the LLVM dialect"),
                           llvm::cl::init(false)};
};

/// Lowers the kernels of a plan, which must all be formed, to the LLVM dialect,
/// and drops the rest of the plan.
void buildKernelPipeline(OpPassManager &pm,
                         const KernelPipelineOptions &options);

/// The passes, and the pipeline zero-lower-kernels-to-cpu.
void registerCodegenPasses();
} // namespace mlir::zero
