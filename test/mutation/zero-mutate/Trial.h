//===- Trial.h - Makes and judges mutants ---------------------------------===//
//
// The plan that all mutants are cloned from, and the judgement of one mutant.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Mutations.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

namespace mlir::zero {

/// The judgement of a mutant.
struct Outcome {
  /// The rule that caught it: V1, S2 and the like, IR if MLIR refused it,
  /// "other" without a label, `accepted` if nothing did.  `alone` if the judge
  /// accepts it beside the other ranks, but refuses it as the plan of all.
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
  /// The plan of all ranks; for a mutant of one rank, the plan of that rank.
  OwningOpRef<ModuleOp> module;

  llvm::json::Object toJson(unsigned number) const;
};

/// Verifies and judges `module`.
Outcome judgeModule(ModuleOp module);

class Trial {
public:
  Trial(ModuleOp plan, uint64_t seed);

  /// Breaks a copy of the plan by one of `mutations` and judges it; null if the
  /// draw changes nothing, or repeats an earlier mutant.
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
