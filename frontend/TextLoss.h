//===- TextLoss.h - Objectives of text models -------------------*- C++ -*-===//
#pragma once

#include <cstdint>

namespace mlir::frontend {

/// The next token; the first answer of a pair, more than the reference model
/// has it; answers that are marked good, or not; scores that are higher for the
/// first of a pair; a label; a policy that is better where it had advantages.
enum class Objective { Sft, Dpo, Kto, Reward, Classify, Grpo };

struct ObjectiveFacts {
  /// What users call it.
  const char *name;
  /// The options of zeroc import that it has, of those that not all have.  Of
  /// these it needs --samples, and --packed with it, and --labels.
  const char *options;
  /// Its samples are pairs.
  bool ofPairs = false;
  /// --beta, if it is not given.
  double beta = 0.1;
};

/// In the order of their numbers.
inline constexpr ObjectiveFacts kObjectives[] = {
    {"sft", "--label-smoothing --z-loss --token-weights"},
    {"dpo", "--samples --beta --label-smoothing", true},
    {"kto", "--samples --beta --desirable-weight --undesirable-weight"},
    {"reward", "--samples --margins --label-smoothing", true},
    {"classify", "--labels --label-smoothing"},
    {.name = "grpo",
     .options = "--beta --epsilon --epsilon-high --importance",
     .beta = 0},
};

struct TextLoss {
  Objective objective = Objective::Sft;
  /// As in CrossEntropyOptions; the smoothing of DPO is that of TRL,
  /// the chance that a pair is the wrong way round.
  double labelSmoothing = 0, zLoss = 0;
  /// An input "token_weights" gives the weight of each target.
  bool weighted = false;
  /// The most samples of a sequence, of DPO, KTO and rewards.
  int64_t samples = 0;
  /// Of classification.
  int64_t labels = 0;
  /// DPO, KTO and policies: strength of the KL penalty.  A policy without one
  /// reads no reference.
  double beta = 0.1;
  /// KTO: the weights of answers that are, and that are not.
  double desirable = 1, undesirable = 1;
  /// Of rewards: an input "margins" says by how much the scores shall differ.
  bool margins = false;
  /// Policies: how far below and above 1 a ratio of probabilities has effect.
  double epsilon = 0.2, epsilonHigh = 0.2;
  /// Policies: the ratio is one for each sequence.
  bool bySequence = false;

  /// The outputs of a head "score" in place of logits; 0: none.
  int64_t scores() const {
    return objective == Objective::Reward     ? 1
           : objective == Objective::Classify ? labels
                                              : 0;
  }
};

} // namespace mlir::frontend
