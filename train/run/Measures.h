//===- Measures.h - Measures of an evaluation beside the loss ---*- C++ -*-===//
//
// They are made of the values that ZRT_SCORE returns for the samples of a
// batch, and of the inputs that the host has written.  They depend on the
// objective of the model, and have the names that TRL gives them:
//
//   dpo       rewards/chosen       mean of beta g, g as in docs/preferences.md
//             rewards/rejected     the same of rejected answers
//             rewards/accuracies   share of pairs with a higher reward of the
//                                  chosen answer
//             rewards/margins      mean of their difference
//   kto       rewards/chosen       mean of beta g of desirable answers
//             rewards/rejected     of undesirable answers
//             rewards/margins      their difference
//   reward    accuracy, margin     as those of dpo, of scores
//   classify  accuracy             share of samples with the highest score at
//                                  their label
//             f1                   mean over labels of 2 TP / (2 TP + FP + FN),
//                                  of those that samples have or get
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"
#include "runtime/world/World.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zrt {

class Measures {
public:
  /// None if `plan` has no objective with values, or no ZRT_SCORE.
  explicit Measures(const zrt_plan &plan);

  /// Of the sums that they are made of; 0: there are none.
  size_t size() const;
  /// Adds the batches of all ranks, after a run of ZRT_SCORE on the inputs of
  /// micro-step 0.  All ranks call it together, and have the same sums after
  /// it, which do not depend on how many ranks there are.
  void add(zrt_context *ctx, World &world, std::vector<double> &sums) const;
  /// Names and values; those that are means over nothing are left out.
  std::vector<std::pair<std::string, double>>
  of(const std::vector<double> &sums) const;

private:
  /// The sums of this rank's batch.
  std::vector<double> sumBatch(zrt_context *ctx) const;
  void addPairs(zrt_context *ctx, const std::vector<double> &gains,
                std::vector<double> &sums) const;
  void addAnswers(zrt_context *ctx, const std::vector<double> &gains,
                  std::vector<double> &sums) const;
  void addLabels(zrt_context *ctx, const std::vector<double> &scores,
                 std::vector<double> &sums) const;
  std::vector<double> read(zrt_context *ctx, std::string_view input) const;

  const zrt_plan &plan;
  std::string objective; ///< "": there is nothing to measure
  double beta = 1;
  size_t labels = 0; ///< of classify
};

} // namespace zrt
