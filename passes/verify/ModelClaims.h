//===- ModelClaims.h - Options that are compared with the model -----------===//
//
// These options change no term of a plan, or appear in no program of it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "passes/verify/SymbolicExecution.h"

namespace mlir::zero::judge {

/// (S7) zero.adapters and the loss chunks of `plan` are those of `model`.
LogicalResult judgeModelClaims(ModuleOp plan, ModuleOp model);

/// (S7) A plan computes a term more often than its model does, within one
/// program and one micro-step, if and only if its options say so (remat).
class Recomputation {
public:
  using Term = TermTable::Term;
  explicit Recomputation(ModuleOp plan);

  /// Counts the terms of function `name` of `model`, which `symbolic` has just
  /// executed.
  void countModel(ModuleOp model, StringRef name, SymbolicExecutor &symbolic);
  /// Begins counting for another program.
  void begin() { found.clear(); }
  /// Counts `op`, which computes `term`, from inputs of micro-step `micro` if
  /// of any.
  void count(Operation *op, Term term, std::optional<int64_t> micro);
  /// Compares the counts with the options; call it after all programs.
  LogicalResult judge();

private:
  ModuleOp plan;
  int64_t microStepsHere = 1;
  DenseMap<Term, int64_t> inModel;
  DenseMap<std::pair<Term, int64_t>, int64_t> found;
  Operation *again = nullptr; ///< first operation that is computed too often
  bool mayBeAgain = false;    ///< any is computed more often than in the model
};

} // namespace mlir::zero::judge
