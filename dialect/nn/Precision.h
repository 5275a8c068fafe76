//===- Precision.h - Sums of 16-bit tensors -------------------------------===//
//
// Operations that take tensors of 16 bits compute in f32: they widen what they
// read, which is exact, and round what they return, once.
//
//===----------------------------------------------------------------------===//
#ifndef DIALECT_NN_PRECISION_H
#define DIALECT_NN_PRECISION_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::nn {

/// Whether `type`, an element or a tensor, is of 16-bit floats.
inline bool isHalf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isBF16() || element.isF16();
}

/// The element type in which elements of type `element` are added: f32 for
/// floats of 16 bits, else their own.
inline Type getSumType(Type element) {
  return isHalf(element) ? Float32Type::get(element.getContext()) : element;
}

/// `tensor` in its sum type.
inline Value widen(OpBuilder &b, Location loc, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!isHalf(type))
    return tensor;
  return arith::ExtFOp::create(
      b, loc, type.clone(getSumType(type.getElementType())), tensor);
}

/// `tensor` rounded to `type`; as it is if that is its type.
inline Value roundTo(OpBuilder &b, Location loc, Value tensor, Type type) {
  if (tensor.getType() == type)
    return tensor;
  return arith::TruncFOp::create(b, loc, type, tensor);
}

} // namespace mlir::nn

#endif // DIALECT_NN_PRECISION_H
