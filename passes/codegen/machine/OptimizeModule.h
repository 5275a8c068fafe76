//===- OptimizeModule.h - LLVM's optimizations ------------------*- C++ -*-===//
#pragma once

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir::zero {

/// Runs the passes of -O3 on `module`, tuned for `machine`.
void runO3(llvm::Module &module, llvm::TargetMachine &machine);

/// Runs the passes of -O3 that a processor's kernels need.  Kernels come as
/// loops of vectors, so these give code as fast as all passes do, in half the
/// time.
void optimizeKernels(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace mlir::zero
