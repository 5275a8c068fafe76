//===- PlanTable.h - zeroc plan: the plans that were tried ------*- C++ -*-===//
#pragma once

#include "tools/zeroc/options/Options.h"
#include "tools/zeroc/plan/PlanSearch.h"
#include "tools/zeroc/plan/TextTable.h"

namespace mlir::zero {

/// The plans of a search: those that fit, the fastest first, then the others by
/// what they need; for each why it is not the first.  Where plans have no
/// times, of each model the first that fits, in the order of what they give up.
/// Plans of named values stand in their order, with more of their numbers.
class PlanTable {
public:
  /// `machine`: its name; "" if plans have no times.  `sequence`: of a folder,
  /// the tokens of a sequence.
  PlanTable(const PlanSearch &search, const DriverOptions &options,
            StringRef machine, int64_t sequence = 0);

  /// With the commands of the first, in lines of kLineWidth.
  std::string print() const;
  /// All plans, with their certificates.
  std::string toJson() const;
  /// One line about the first, for who compiles it.
  std::string describeChoice() const;

private:
  bool isTimed() const { return !machine.empty(); }
  bool isCompared() const { return !options.plan.compared.empty(); }
  std::vector<TextColumn> fillColumns(ArrayRef<const TriedPlan *> rows) const;
  /// Whether `plan` is the best of all; without times, the best of its model.
  bool isBest(const TriedPlan &plan) const;
  std::string getReason(const TriedPlan &plan) const;
  std::string nameOf(const TriedPlan &plan) const;
  /// The commands that make the plan, a line each.
  std::vector<std::string> getCommands(const TriedPlan &plan) const;
  /// Of a folder's plan, "--batch=B --seq=T" and the model's other options.
  std::pair<std::string, std::string> splitModel(const TriedPlan &plan) const;
  /// zeroc finetune with the plan's options; "" if the model is no folder that
  /// it takes.
  std::string getFinetune(const TriedPlan &plan) const;
  /// Exact where plans are compared.
  std::string sizeText(int64_t bytes) const {
    return isCompared() ? inBytes(bytes) : inShort(bytes);
  }

  const PlanSearch &search;
  const DriverOptions &options;
  const std::string machine;
  const int64_t sequence;
  std::vector<const TriedPlan *> plans; ///< in their order
  const TriedPlan *best;
};

/// Explains why `more` needs more device memory than `less`: the growth of its
/// peak, and the gathered parameters.
std::string explainGrowth(const Certificate &more, const Certificate &less);

} // namespace mlir::zero
