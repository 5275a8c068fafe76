//===- RopeFrequencies.h - How fast rotary pairs turn -----------*- C++ -*-===//
//
// Pair i of the first `dims` elements of a head turns by position times its
// frequency, base^(-2i / dims) (Su et al., 2021).  Models that are to see more
// positions than they began with scale the frequencies:
//
//   linear   all by 1 / factor
//   llama3   those that turn slowly by 1 / factor, with a ramp to those that turn
//            fast, which stay (Llama 3.1)
//   yarn     the same with a ramp over pairs; cos and sin are multiplied by a
//            factor of attention (Peng et al., 2023)
//
// The formulas are those of transformers' modeling_rope_utils.py, in float64.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace mlir::frontend {

struct RopeScaling {
  enum Type { Default, Linear, Llama3, Yarn } type = Default;
  double factor = 1;
  /// Positions that the model began with; of llama3 and yarn.
  double originalPositions = 0;
  /// Of llama3: pairs that turn fewer times over these positions are slow, or
  /// more times are fast.
  double lowFrequencyFactor = 1, highFrequencyFactor = 4;
  /// Of yarn, the same the other way round.
  double betaFast = 32, betaSlow = 1;
  /// Of yarn: the factor of cos and sin; else it follows from `factor` and these.
  std::optional<double> attentionFactor = std::nullopt;
  double mscale = 0, mscaleAllDim = 0;
  /// Of yarn: the ramp begins and ends at whole pairs.
  bool truncate = true;
};

/// What `rope` takes.
struct Rope {
  /// One for each pair.
  llvm::SmallVector<double> frequencies;
  /// Of cos and sin.
  double factor = 1;
};

/// `dims` is even and positive, `base` greater than 1.
Rope computeRope(double base, int64_t dims, const RopeScaling &scaling = {});

} // namespace mlir::frontend
