//===- Precision.h - Sums of 16-bit tensors -------------------------------===//
//
// Operations that take tensors of 16 bits compute in f32: they widen what they
// read, which is exact, and round what they return, once.
//
//===----------------------------------------------------------------------===//
#pragma once

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

/// `value`, a scalar, vector or tensor, in its sum type.
inline Value widen(OpBuilder &b, Location loc, Value value) {
  if (!isHalf(value.getType()))
    return value;
  Type wide = getSumType(getElementTypeOrSelf(value.getType()));
  if (auto shaped = dyn_cast<ShapedType>(value.getType()))
    wide = shaped.clone(wide);
  return arith::ExtFOp::create(b, loc, wide, value);
}

/// The 16-bit value that `value` was widened from, or null.
inline Value getWidened(Value value) {
  auto widened = value ? value.getDefiningOp<arith::ExtFOp>() : arith::ExtFOp();
  return widened && isHalf(widened.getIn().getType()) ? widened.getIn()
                                                      : Value();
}

/// `value` rounded to `type`; unchanged if it has that type.
inline Value roundTo(OpBuilder &b, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return arith::TruncFOp::create(b, loc, type, value);
}

} // namespace mlir::nn
