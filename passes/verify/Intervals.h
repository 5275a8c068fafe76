//===- Intervals.h - What integers can be ---------------------------------===//
#pragma once

#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::zero::judge {

/// The interval of every integer of a function, as its operations are followed
/// in program order: one for all elements of a tensor, over all its runs.
class Intervals {
public:
  IntegerValueRange of(Value value) const;
  void set(Value value, IntegerValueRange range);

  /// Takes in `op`.  Before: its operands, and for results that its regions
  /// give, the regions.
  void follow(Operation *op);
  /// Takes in the arguments of the regions of `op`, before the regions.
  void enter(Operation *op);

private:
  IntegerValueRange ofSelect(Value condition, Value taken, bool when) const;
  /// What all of `values` may be.
  IntegerValueRange join(ValueRange values) const;

  DenseMap<Value, IntegerValueRange> ranges;
};

} // namespace mlir::zero::judge
