//===- Dequantize.h - Packed weights by blocks of threads -------*- C++ -*-===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero {

enum class Packing : uint32_t;

/// The packing of weights, and the type that they are unpacked to: f32, bf16 or
/// f16.
struct PackedType {
  Packing packing;
  Type to;
  bool operator==(const PackedType &) const = default;
};

/// Adds zrt_dequantize_PACKING_TYPE (abi/ZrtStructs.def) to `module`.
void emitDequantize(ModuleOp module, const PackedType &type);

} // namespace mlir::zero
