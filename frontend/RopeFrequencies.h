//===- RopeFrequencies.h - Frequencies of rotary embeddings -----*- C++ -*-===//
//
// Pair i of the first `dims` elements of a head is rotated by its position
// times its frequency, base^(-2i / dims) (Su et al., 2021).  Models that extend
// their context length scale the frequencies:
//
//   linear   all by 1 / factor
//   llama3   slow pairs by 1 / factor, fast pairs unchanged, with a ramp
//            between them (Llama 3.1)
//   yarn     the same with a ramp over the index of the pair; cos and sin are
//            multiplied by an attention factor (Peng et al., 2023)
//   longrope each by a factor of its own, 1 / factors[i], and the attention
//            factor (Ding et al., 2024)
//   proportional   all by 1 / factor, of which only the first turn (Gemma 4)
//
// The formulas are those of transformers' modeling_rope_utils.py, in float64.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace mlir::frontend {

struct RopeScaling {
  enum Type {
    Default,
    Linear,
    Llama3,
    Yarn,
    Long,
    Proportional
  } type = Default;
  double factor = 1;
  /// The original context length; not for linear.
  double originalPositions = 0;
  /// llama3: pairs with fewer turns over these positions than the first are
  /// slow, with more turns than the second fast.
  double lowFrequencyFactor = 1, highFrequencyFactor = 4;
  /// yarn: the turns of fast and of slow pairs.
  double betaFast = 32, betaSlow = 1;
  /// yarn, longrope: the factor of cos and sin; by default it follows from
  /// `factor` and, of yarn, the next two.
  std::optional<double> attentionFactor = std::nullopt;
  double mscale = 0, mscaleAllDim = 0;
  /// yarn: rounds the ends of the ramp to whole pairs.
  bool truncate = true;
  /// longrope: one for each pair.
  std::vector<double> factors = {};
  /// proportional: the pairs that turn; others have frequency 0.
  int64_t turning = 0;
};

/// The arguments of `rope`.
struct Rope {
  /// Radians per position, one for each pair.
  llvm::SmallVector<double> frequencies;
  /// Multiplies cos and sin.
  double factor = 1;
  /// What the frequencies were computed from.
  double base = 0;
  RopeScaling scaling = {};
};

/// `dims` is even and positive, `base` greater than 1.
Rope computeRope(double base, int64_t dims, const RopeScaling &scaling = {});

} // namespace mlir::frontend
