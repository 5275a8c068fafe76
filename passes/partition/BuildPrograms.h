//===- BuildPrograms.h - The programs of a training step ------------------===//
#ifndef PASSES_PARTITION_BUILDPROGRAMS_H
#define PASSES_PARTITION_BUILDPROGRAMS_H

#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::zero {

/// A parameter of the model and the bucket that became its place.
struct PartitionedParameter {
  unsigned argument; ///< of the model's function
  StringAttr name;
  BucketOp bucket;
  /// Whether every rank keeps the whole parameter.
  bool whole;
};

/// What is the same in all programs of a plan.
struct Partition {
  int64_t stage, ranks, microSteps;
  double weightDecay, maxNorm; ///< 0: none
  OptimizerOp rule;
  SmallVector<PartitionedParameter> parameters;

  /// Whether state of that slot lies whole on every rank.
  bool isWhole(StringRef slot, const PartitionedParameter &parameter) const;
  /// Whether gradients are summed into the owner's slice as they come, rather
  /// than kept whole until the update.
  bool scattersAtOnce() const { return ranks > 1 && stage >= 2; }
};

/// Rewrites `function`, from parameters to loss and gradients, into @count:
/// what the loss is averaged over.  Only where micro-steps share averages.
void buildCountProgram(func::FuncOp function, const Partition &partition);
/// ... into @micro: forward, backward, gradients added to those before.
void buildMicroProgram(func::FuncOp function, const Partition &partition);
/// ... into @step: the same, and the update.
void buildStepProgram(func::FuncOp function, const Partition &partition);

} // namespace mlir::zero

#endif // PASSES_PARTITION_BUILDPROGRAMS_H
