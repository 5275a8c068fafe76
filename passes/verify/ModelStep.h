//===- ModelStep.h - Terms that the model computes ------------------------===//
#pragma once

#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/verify/TermTable.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::zero::judge {

/// The parameters and inputs of @step of a module at level kernels, and the
/// terms of its loss and its gradients; or those of a function that is only
/// forward, its result and next caches.  All checks here belong to (V14).
class ModelStep {
public:
  using Term = TermTable::Term;

  struct Parameter {
    RankedTensorType type;
    Attribute init; ///< null if the model does not say
    bool isFrozen = false;
    Attribute packing; ///< null if it is not packed
    Term gradient = 0; ///< set if it is trained
  };

  /// Checks that the kernels of `plan` are those of `model`, and identifies
  /// them.
  static LogicalResult matchKernels(ModuleOp plan, ModuleOp model,
                                    SymbolicExecutor &symbolic);
  /// Executes @step of `model`.
  LogicalResult execute(ModuleOp model, SymbolicExecutor &symbolic);
  /// Executes @prefill, @decode or @score of `model`.
  LogicalResult executeForward(ModuleOp model, StringRef name,
                               SymbolicExecutor &symbolic);

  /// Checks that the buckets of `plan` hold exactly the parameters of the
  /// model.
  LogicalResult matchParameters(ModuleOp plan);
  /// Checks that the inputs of `program` are inputs of the model, with the same
  /// types and attributes.
  LogicalResult matchInputs(ProgramOp program);

  const Parameter &parameter(StringAttr name) const {
    return parameters.find(name)->second;
  }
  Term getLoss() const { return loss; }
  /// The logits of @prefill and @decode, the values of @score.
  Term getResult() const { return result; }
  /// The next caches: name, type and term, in order.
  using Cache = std::tuple<StringAttr, Type, Term>;
  ArrayRef<Cache> getCaches() const { return caches; }
  /// Results of zero.average, in the order of the step.
  ArrayRef<Term> getAverages() const { return averages; }

private:
  LogicalResult enter(func::FuncOp function, SymbolicExecutor &symbolic);

  llvm::MapVector<StringAttr, Parameter> parameters;
  /// By name: the type, and the attributes of the argument.
  llvm::MapVector<StringAttr, std::pair<Type, DictionaryAttr>> inputs;
  Term loss = 0, result = 0;
  SmallVector<Cache> caches;
  SmallVector<Term> averages;
};

/// (S7) A plan computes a term more often than its model does, within one
/// program and one micro-step, if and only if its options say so (remat;
/// ModelClaims.cpp).
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
