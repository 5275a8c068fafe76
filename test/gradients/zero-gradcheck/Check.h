//===- Check.h - Compares gradients with finite differences ---------------===//
//
// Central differences of the loss, in f64, at random values:
//
//   (loss(p + h d) - loss(p - h d)) / 2h   against   sum d * dloss/dp
//
// for d one element, at up to `samples` elements of each parameter, and for one
// random d over all parameters together.  With h = 1e-5 truncation and rounding
// are both near 1e-10 of a loss near 1.
//
// The error of an element is relative to its parameter's largest sampled
// derivative (at least 1e-4): small elements of a large gradient carry the
// rounding of the loss, not of themselves.
//
// A function may return a tensor y instead of a loss.  Its loss is then defined
// as
//
//   sum of c (y y + y)
//
// over the elements of y, with a random weight c for each, so that a wrong
// derivative of a single element shows, and errors do not cancel: a plain sum
// of a softmax is constant, for example.  The square makes the adjoint of y
// depend on y, and the linear term keeps a slope where y is 0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::zero {

struct CheckOptions {
  uint64_t seed = 1;
  double tolerance = 1e-6;
  /// The standard deviation of the values; large ones saturate functions.
  double scale = 1;
  /// Elements of each parameter that are compared one by one.
  unsigned samples = 64;
  /// Integer inputs are below this; 0 means below the size of the table or the
  /// logits that they index, otherwise below the smallest extent of the
  /// function.
  int64_t vocabulary = 0;
  /// The share of cross_entropy's targets that is set to its ignore_index.
  double ignored = 0;
  /// Decomposes nn operations to linalg before differentiation.
  bool decomposeFirst = false;
};

/// Checks every gradient of the model and prints one line for each parameter.
/// Returns true if all are within the tolerance; fails with an error if the
/// model cannot be checked.
FailureOr<bool> checkGradients(OwningOpRef<ModuleOp> model,
                               const CheckOptions &options);

} // namespace mlir::zero
