//===- OptimizeModule.h - LLVM's optimizations ------------------*- C++ -*-===//
#ifndef PASSES_CODEGEN_OPTIMIZEMODULE_H
#define PASSES_CODEGEN_OPTIMIZEMODULE_H

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir::zero {

/// Runs the passes of -O3 on `module`, with what is known of `machine`.
void runO3(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace mlir::zero

#endif // PASSES_CODEGEN_OPTIMIZEMODULE_H
