//===- OptimizeModule.h - LLVM's optimizations ------------------*- C++ -*-===//
#pragma once

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir::zero {

/// Runs the passes of -O3 on `module`, with what is known of `machine`.
void runO3(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace mlir::zero
