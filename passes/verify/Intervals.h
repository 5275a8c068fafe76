//===- Intervals.h - Intervals of integer values --------------------------===//
#pragma once

#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::zero::judge {

/// The intervals of all integers of a function, computed by following its
/// operations in program order.  A tensor has one interval for all its
/// elements, over all runs.
class Intervals {
public:
  IntegerValueRange of(Value value) const;
  void set(Value value, IntegerValueRange range);

  /// Computes the intervals of the results of `op`.  Its operands come first,
  /// and its regions if they yield the results.
  void follow(Operation *op);
  /// Computes the intervals of the arguments of the regions of `op`; call it
  /// before following the regions.
  void enter(Operation *op);

private:
  IntegerValueRange ofSelect(Value condition, Value taken, bool when) const;
  /// The smallest interval that contains those of all `values`.
  IntegerValueRange join(ValueRange values) const;

  DenseMap<Value, IntegerValueRange> ranges;
};

/// (S8) No integer is divided by 0, and arithmetic that promises not to
/// overflow does not (IntegerTraps.cpp).
LogicalResult judgeArithmetic(Operation *op, const Intervals &intervals);

} // namespace mlir::zero::judge
