//===- TextLoss.h - Objectives of text models -------------------*- C++ -*-===//
#pragma once

#include <cstdint>

namespace mlir::frontend {

/// Tokens: the next token.  Preferences (DPO): the first answer of a pair, more
/// than the reference model does.  Desirable (KTO): answers that are marked
/// good, or not.  Rewards: scores that are higher for the first of a pair.
/// Classes: a label.
enum class Objective { Tokens, Preferences, Desirable, Rewards, Classes };

struct TextLoss {
  Objective objective = Objective::Tokens;
  /// As in CrossEntropyOptions; the smoothing of Preferences is that of TRL,
  /// the chance that a pair is the wrong way round.
  double labelSmoothing = 0, zLoss = 0;
  /// An input "token_weights" gives the weight of each target.
  bool weighted = false;
  /// The most samples of a sequence, of Preferences, Desirable and Rewards.
  int64_t samples = 0;
  /// Of Classes.
  int64_t labels = 0;
  /// Preferences and Desirable: strength of the KL penalty.
  double beta = 0.1;
  /// Desirable: the weights of answers that are, and that are not.
  double desirable = 1, undesirable = 1;
  /// Rewards: an input "margins" says by how much the scores shall differ.
  bool margins = false;

  /// The outputs of a head "score" in place of logits; 0: none.
  int64_t scores() const {
    return objective == Objective::Rewards   ? 1
           : objective == Objective::Classes ? labels
                                             : 0;
  }
};

} // namespace mlir::frontend
