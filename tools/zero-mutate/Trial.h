//===- Trial.h - Mutants and their judgement ------------------------------===//
//
// The plan that all mutants are cloned from, and what becomes of one mutant.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Mutations.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

namespace mlir::zero {

/// What became of a mutant.
struct Outcome {
  /// The rule that caught it: V1, S2 and the like, IR for what MLIR refuses,
  /// "other" without a label; `accepted` if nothing did.  `alone` if the judge
  /// accepts it beside the other ranks, and refuses it as the plan of all.
  std::string rule;
  std::string message;
  bool accepted() const { return rule == "accepted"; }
};

/// One broken plan.
struct Mutant {
  const Mutation *mutation = nullptr;
  std::string change;
  /// The rank that runs the broken program, or -1 if all do.
  int64_t rank = -1;
  Outcome outcome;
  /// What the ranks run; of one rank: what it runs.
  OwningOpRef<ModuleOp> module;

  llvm::json::Object toJson(unsigned number) const;
};

/// Says of `module` what MLIR's verifier and the judge say.
Outcome judgeModule(ModuleOp module);

class Trial {
public:
  Trial(ModuleOp plan, uint64_t seed);

  /// Breaks a copy of the plan by one of `mutations` and judges it; null where
  /// the draw changes nothing, or nothing new.
  std::unique_ptr<Mutant> next(ArrayRef<const Mutation *> mutations);

  int64_t getRanks() const { return ranks; }

private:
  bool isNew(ModuleOp module);

  ModuleOp plan;
  int64_t ranks = 1;
  Random random;
  llvm::StringSet<> seen;
};

} // namespace mlir::zero
