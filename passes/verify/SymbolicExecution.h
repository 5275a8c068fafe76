//===- SymbolicExecution.h - The values of a function as terms ------------===//
#pragma once

#include "dialect/zero/Zero.h"
#include "passes/verify/TermTable.h"

namespace mlir::zero::judge {

/// The terms of the values of one function after the other; all of them share
/// one table of terms, so that equal ones are found again.
class SymbolicExecutor {
public:
  using Term = TermTable::Term;

  SymbolicExecutor(int64_t ranks, int64_t microSteps)
      : ranks(ranks), microSteps(microSteps) {}

  /// Means over micro-steps are of so many from here on.
  void setMicroSteps(int64_t count) { microSteps = count; }
  /// Begins another function.
  void clear() { values.clear(); }
  void set(Value value, Term term) { values[value] = term; }
  /// A value that was never set is unknown: equal to itself alone.
  Term termOf(Value value);
  /// A mean of one is the value itself.
  Term mean(TermTable::Mean over, Term term);

  /// Joins, splits, and anything that is its operation on its operands.
  void execute(Operation *op);
  /// Launches of `kernel` are launches of `same`.
  void identify(Operation *kernel, Operation *same) { kernels[kernel] = same; }

  TermTable terms;

private:
  int64_t ranks, microSteps;
  SymbolTableCollection symbols;
  DenseMap<Operation *, Operation *> kernels;
  DenseMap<Value, Term> values;
};

} // namespace mlir::zero::judge
