//===- RoundByChance.h - Stochastic rounding to bf16 ----------------------===//
#pragma once

#include "mlir/IR/Builders.h"

namespace mlir::zero {

/// What a kernel that rounds by chance is given (zrt_update_desc): two words of
/// a key, and what is added to an element's place for its place in the
/// parameter.  All i32.
struct RoundingKey {
  static constexpr int64_t kWords = 3;
  Value first, second, shift;

  /// Loads it from a memref of kWords x i32.
  static RoundingKey load(OpBuilder &b, Location loc, Value memref);
};

/// 32 random bits for the element at `place`, an index.
Value drawBits(OpBuilder &b, Location loc, const RoundingKey &key, Value place);

/// `value`, a f32, as bf16: one of its two neighbours, the upper one (away from
/// zero) with a probability that is the distance to the lower.  What is a bf16
/// stays, infinities and NaN too.
Value roundByChance(OpBuilder &b, Location loc, Value value, Value bits);

} // namespace mlir::zero
