//===- OptimizeModule.h - LLVM's optimizations ------------------*- C++ -*-===//
#pragma once

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir::zero {

/// Runs the passes of -O3 on `module`, with what is known of `machine`.
void runO3(llvm::Module &module, llvm::TargetMachine &machine);

/// Runs those of them that a processor's kernels need: they come as loops of vectors,
/// and what is as fast after these as after all takes half the time to compile.
void optimizeKernels(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace mlir::zero
