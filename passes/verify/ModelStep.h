//===- ModelStep.h - What a plan shall compute ----------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/verify/SymbolicExecution.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::zero::judge {

/// @step of a module at level kernels: its parameters and inputs, and the terms
/// of its loss and of its gradients; or @predict, and its logits.  Everything here is of (V14).
class ModelStep {
public:
  using Term = TermTable::Term;

  struct Parameter {
    RankedTensorType type;
    Attribute init; ///< null if the model does not say
    bool isFrozen = false;
    Attribute packing; ///< null if it is not packed
    Term gradient = 0; ///< of one that is trained
  };

  /// Kernels of `plan` are those of `model`, and are identified with them.
  static LogicalResult matchKernels(ModuleOp plan, ModuleOp model,
                                    SymbolicExecutor &symbolic);
  /// Executes @step of `model`.
  LogicalResult execute(ModuleOp model, SymbolicExecutor &symbolic);
  /// Executes @predict of `model`.
  LogicalResult executePrediction(ModuleOp model, SymbolicExecutor &symbolic);

  /// The buckets of `plan` hold the parameters, no others and all of them.
  LogicalResult matchParameters(ModuleOp plan);
  /// What `program` takes as inputs are inputs, with all that is said of them.
  LogicalResult matchInputs(ProgramOp program);

  const Parameter &parameter(StringAttr name) const {
    return parameters.find(name)->second;
  }
  Term getLoss() const { return loss; }
  Term getLogits() const { return logits; }
  /// What zero.average gives, in the order of the step.
  ArrayRef<Term> getAverages() const { return averages; }

private:
  LogicalResult enter(func::FuncOp function, SymbolicExecutor &symbolic);

  llvm::MapVector<StringAttr, Parameter> parameters;
  /// By name: the type, and the attributes of the argument.
  llvm::MapVector<StringAttr, std::pair<Type, DictionaryAttr>> inputs;
  Term loss = 0, logits = 0;
  SmallVector<Term> averages;
};

} // namespace mlir::zero::judge
