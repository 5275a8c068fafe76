//===- Widen.h - Elements of 16 bits as f32, on a GPU -----------*- C++ -*-===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero {

/// Adds zrt_widen_TYPE (abi/ZrtStructs.def) of bf16 or f16 to `module`.
void emitWiden(ModuleOp module, Type narrow);

} // namespace mlir::zero
