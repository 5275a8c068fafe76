//===- Generic.h - Writing linalg.generic in one line ---------------------===//
//
// The linalg forms and derivatives of this project are all small
// `linalg.generic` operations.  These functions name loops by letters, so that
// a call reads like the formula:
//
//   // mean[r] = sum_c x[r, c] / C
//   Value sum = reduceSum(b, loc, {x}, {"rc"}, "r", identity);
//
// Each letter is a loop; a letter that the result lacks is a reduction.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::nn {

/// Emits the scalar body: receives one scalar per input (Scalar.h).
struct Scalars;
using ScalarBody = llvm::function_ref<Value(const Scalars &)>;

/// Emits a generic over `loops`, the outermost first.  Its body reads the
/// element of each input, then that of `init`, and gives the result's.
Value emitGeneric(OpBuilder &b, Location loc, StringRef loops,
                  ValueRange inputs, ArrayRef<StringRef> maps, Value init,
                  StringRef result, ScalarBody body);

/// Emits an elementwise operation: the letters of `result` give the result's
/// shape; an input is broadcast over letters that it lacks.
Value elementwise(OpBuilder &b, Location loc, ValueRange inputs,
                  ArrayRef<StringRef> maps, StringRef result, ScalarBody body);
/// The same of inputs that have the result's shape.
Value elementwise(OpBuilder &b, Location loc, ValueRange inputs,
                  ScalarBody body);

/// Sums the body, floats or integers, over the letters that `result` lacks, in
/// loop order, starting from zero.  `order` gives the order of all loops,
/// outermost first; by default the letters in order of appearance.
Value reduceSum(OpBuilder &b, Location loc, ValueRange inputs,
                ArrayRef<StringRef> maps, StringRef result, ScalarBody body,
                StringRef order = {});

/// The maximum instead of the sum, starting from minus infinity.
Value reduceMax(OpBuilder &b, Location loc, ValueRange inputs,
                ArrayRef<StringRef> maps, StringRef result, ScalarBody body);

/// A scalar constant of `type`, or a splat of it when `type` is a tensor.
Value constant(OpBuilder &b, Location loc, Type type, double value);

/// A tensor to be written.
Value emptyOf(OpBuilder &b, Location loc, RankedTensorType type);

/// A tensor of zeros.
Value zeros(OpBuilder &b, Location loc, RankedTensorType type);

/// Whether `value` is zeros: a fill with zero, or a constant.
bool isZeros(Value value);

/// "abc..." with `count` letters from `first`, for shapes of any rank.
std::string letters(int64_t count, char first = 'a');

/// The letters of a tensor whose last dimension is a row: all of them, those of
/// the dimensions that number the rows, and the last.
struct RowLetters {
  explicit RowLetters(RankedTensorType type) : all(letters(type.getRank())) {}
  RowLetters(const RowLetters &) = delete;

  const std::string all;
  const StringRef rows = StringRef(all).drop_back(),
                  last = StringRef(all).take_back();
};

} // namespace mlir::nn
