//===- Dequantize.h - Packed weights by blocks of threads -------*- C++ -*-===//
#pragma once

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
