//===- SymbolicExecution.h - Symbolic execution of a function -------------===//
#pragma once

#include "dialect/zero/Zero.h"
#include "passes/verify/TermTable.h"

namespace mlir::zero::judge {

/// Computes the terms of the values of a function.  All functions that are
/// executed one after the other share one table, in which equal terms are one.
class SymbolicExecutor {
public:
  using Term = TermTable::Term;

  SymbolicExecutor(int64_t ranks, int64_t microSteps)
      : ranks(ranks), microSteps(microSteps) {}

  /// Sets the number of micro-steps of all later means.
  void setMicroSteps(int64_t count) { microSteps = count; }
  /// Forgets the values of the last function.
  void clear() { values.clear(); }
  void set(Value value, Term term) { values[value] = term; }
  /// The term of `value`; a value that was never set is unknown, equal only to
  /// itself.
  Term termOf(Value value);
  /// The mean of `term`; a mean of one value is the value itself.
  Term mean(TermTable::Mean over, Term term);

  /// Computes the terms of the results of `op`: a join, a split, or any
  /// operation that is a function of its operands.
  void execute(Operation *op);
  /// Treats launches of `kernel` as launches of `same`.
  void identify(Operation *kernel, Operation *same) { kernels[kernel] = same; }

  TermTable terms;

private:
  int64_t ranks, microSteps;
  SymbolTableCollection symbols;
  DenseMap<Operation *, Operation *> kernels;
  DenseMap<Value, Term> values;
};

} // namespace mlir::zero::judge
