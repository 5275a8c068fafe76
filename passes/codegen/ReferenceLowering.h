//===- ReferenceLowering.h - Lowers everything by upstream loops ----------===//
//
// The slow, obviously right way from tensors to the LLVM dialect.  It serves
// `zeroc --reference` and zero-gradcheck.  It is a separate library that shares
// only the lowering of copies with the code generation of kernels.
//
//===----------------------------------------------------------------------===//
#pragma once

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace mlir::zero {

/// Registers the bufferization of every dialect that occurs in the pipeline.
void registerReferenceLoops(DialectRegistry &registry);

/// Prepares for bufferization: turns nn operations into their linalg form, and
/// everything else into linalg, tensor or scf.
void addReferencePreparation(OpPassManager &pm);

/// Lowers functions on tensors of static shape to the LLVM dialect, for one
/// thread, with plain loops.
///
/// Tensor results become memref arguments after the others; the caller
/// allocates them.  All memrefs have identity layout.  A public function with
/// `llvm.emit_c_interface` gets the entry `_mlir_ciface_NAME`, which takes one
/// pointer to a memref descriptor per argument.  Temporaries are freed.
void buildReferenceLoopsPipeline(OpPassManager &pm);

} // namespace mlir::zero
