//===- StochasticRounding.h - Stochastic rounding to bf16 -----------------===//
#pragma once

#include "mlir/IR/Builders.h"

namespace mlir::zero {

/// The key of a kernel that rounds by chance (zrt_update_desc): two words, and
/// the offset from an element's place in the kernel's operands to its place in
/// the parameter.  All i32.
struct RoundingKey {
  static constexpr int64_t kWords = 3;
  Value first, second, shift;

  /// Loads the key from a memref of kWords x i32.
  static RoundingKey load(OpBuilder &b, Location loc, Value memref);
};

/// 32 random bits for the element at `place`, an index.
Value drawBits(OpBuilder &b, Location loc, const RoundingKey &key, Value place);

/// `value`, an f32, as bf16: one of its two neighbours, the upper one (away
/// from zero) with a probability that is the distance to the lower.  Values
/// that bf16 holds exactly stay, infinities and NaN too.
Value roundByChance(OpBuilder &b, Location loc, Value value, Value bits);

} // namespace mlir::zero
