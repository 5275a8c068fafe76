//===- Widen.h - Elements of 16 bits as f32, on a GPU -----------*- C++ -*-===//
#ifndef PASSES_CODEGEN_GPU_WIDEN_H
#define PASSES_CODEGEN_GPU_WIDEN_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero {

/// Adds zrt_widen_TYPE (runtime/ZrtStructs.def) of bf16 or f16 to `module`.
void emitWiden(ModuleOp module, Type narrow);

} // namespace mlir::zero

#endif // PASSES_CODEGEN_GPU_WIDEN_H
