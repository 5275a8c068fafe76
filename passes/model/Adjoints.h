//===- Adjoints.h - Sums of contributions to adjoints ---------------------===//
//
// A value that is used n times has n contributions to its adjoint, which are
// added in the order they come.  Two kinds of contribution are mostly zeros and
// are not added as whole tensors:
//
//   embedding_backward into zeros   becomes  embedding_backward into the sum
//   insert_slice into zeros         becomes  insert_slice into the sum, where
//                                            the sum is still zero there
//
// So the q, k and v slices of one packed tensor write into one adjoint.  Once
// slices cover the whole tensor, its zeros are never read and become
// tensor.empty.
//
// A contribution may be shared: both operands of an addition get the same
// tensor.  Therefore nothing is changed in place; operations that are no longer
// read are erased by DifferentiateLoss.
//
//===----------------------------------------------------------------------===//
#ifndef PASSES_MODEL_ADJOINTS_H
#define PASSES_MODEL_ADJOINTS_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::zero {

class Adjoints {
public:
  explicit Adjoints(OpBuilder &builder) : b(builder) {}

  /// The sum so far; null where nothing was added.
  Value lookup(Value value) const { return sums.lookup(value); }

  /// Adds `contribution`, which has the type of `value`.
  void add(Value value, Value contribution);

private:
  Value sum(Location loc, Value sum, Value contribution);

  OpBuilder &b;
  llvm::DenseMap<Value, Value> sums;
};

} // namespace mlir::zero

#endif // PASSES_MODEL_ADJOINTS_H
