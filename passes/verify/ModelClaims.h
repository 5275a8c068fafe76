//===- ModelClaims.h - What a plan says of its model ----------------------===//
//
// Options that leave the terms of a plan as they are, or are in no program of it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "passes/verify/SymbolicExecution.h"

namespace mlir::zero::judge {

/// (S7) zero.adapters of `plan`, and the chunks of the loss, are those of `model`.
LogicalResult judgeModelClaims(ModuleOp plan, ModuleOp model);

/// (S7) A plan computes a term more often than its model does, in one program and
/// for one micro-step, if and only if its options say so (remat).
class Recomputation {
public:
  using Term = TermTable::Term;
  explicit Recomputation(ModuleOp plan);

  /// Of function `name` of `model`, which `symbolic` has just executed.
  void countModel(ModuleOp model, StringRef name, SymbolicExecutor &symbolic);
  /// Begins a program.
  void begin() { found.clear(); }
  /// `op` gives `term`, computed from inputs of `micro` if of any.
  void count(Operation *op, Term term, std::optional<int64_t> micro);
  /// After all programs.
  LogicalResult judge();

private:
  ModuleOp plan;
  int64_t microStepsHere = 1;
  DenseMap<Term, int64_t> inModel;
  DenseMap<std::pair<Term, int64_t>, int64_t> found;
  Operation *again = nullptr; ///< the first that is computed too often
};

} // namespace mlir::zero::judge
