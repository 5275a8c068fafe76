//===- Dequantize.h - Packed weights by blocks of threads -------*- C++ -*-===//
#ifndef PASSES_CODEGEN_GPU_DEQUANTIZE_H
#define PASSES_CODEGEN_GPU_DEQUANTIZE_H

#include "dialect/zero/Zero.h"

namespace mlir::zero {

/// How weights are packed, and what they become: f32, bf16 or f16.
struct PackedType {
  Packing packing;
  Type to;
  bool operator==(const PackedType &) const = default;
};

/// Adds zrt_dequantize_PACKING_TYPE (runtime/ZrtStructs.def) to `module`.
void emitDequantize(ModuleOp module, const PackedType &type);

} // namespace mlir::zero

#endif // PASSES_CODEGEN_GPU_DEQUANTIZE_H
