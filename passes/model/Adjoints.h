//===- Adjoints.h - Sums of contributions to adjoints -----------*- C++ -*-===//
//
// Contributions to the adjoint of one value are added in the order in which
// they come, so sums of tied parameters have a fixed order.
//
// Two sums are better than an addition:
//
// * A scatter into zeros scatters into what has been accumulated already, so a
//   tied embedding adds its rows to the projection's gradient in place.
// * Slices of one value (q, k and v of a packed projection) are inserted into
//   one tensor, which starts undefined when the slices cover it all.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::zero {

class Adjoints {
public:
  /// Emits sums at the insertion point of `builder`.
  explicit Adjoints(OpBuilder &builder) : b(builder) {}

  /// Makes the sum of contributions to `value`, of 16 bits, an f32 from now on.
  void keepWide(Value value) { wide.insert(value); }

  /// Adds a contribution, of the value's type.
  void add(Value value, Value contribution);

  /// The sum of all contributions to `value`, or null.
  Value get(Value value);

private:
  OpBuilder &b;
  DenseSet<Value> wide;
  DenseMap<Value, Value> sums;
  /// Slices of a value's adjoint that have not been inserted yet: they wait
  /// until it is read.
  DenseMap<Value, SmallVector<tensor::InsertSliceOp>> slices;
};

} // namespace mlir::zero
