//===- ReferenceLowering.h - Everything by upstream loops -----------------===//
//
// The slow, obviously right way from tensors to the LLVM dialect.  It serves
// `zeroc --reference` and zero-gradcheck.  It is a library of its own, and
// shares nothing with the code generation of kernels beside it but copies.
//
//===----------------------------------------------------------------------===//
#pragma once

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace mlir::zero {

/// Registers the bufferization of every dialect that the pipeline meets.
void registerReferenceLoops(DialectRegistry &registry);

/// What comes before bufferization: nn operations in their linalg form, and
/// everything else as linalg, tensor or scf.
void addReferencePreparation(OpPassManager &pm);

/// From functions on tensors of static shape to the LLVM dialect, one thread,
/// plain loops.
///
/// Tensor results become memref arguments after the others; the caller
/// allocates them.  All memrefs have identity layout.  A public function with
/// `llvm.emit_c_interface` gets the entry `_mlir_ciface_NAME`, which takes one
/// pointer to a memref descriptor per argument.  Temporaries are freed.
void buildReferenceLoopsPipeline(OpPassManager &pm);

} // namespace mlir::zero
