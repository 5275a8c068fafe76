//===- AttentionMath.cpp - The functions of attention's scores ------------===//
//
// exp2 and tanh follow runtime/device/cpu/attention/Scores.inc, and logOfSum
// follows LogSum.h there, operation by operation; what compilers contract on
// the CPU is an FMA here.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/gpu/attention/AttentionBase.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "numerics/LogSum.h"
#include "numerics/Polynomials.h"

using namespace mlir;
using namespace mlir::zero;

Value AttentionBase::exp2(Value x) {
  Type integer = b.getI32Type();
  Value shifted = addf(x, f32(zrt::kRoundToInteger));
  Value r = subf(x, subf(shifted, f32(zrt::kRoundToInteger)));
  Value exponent =
      arith::ShLIOp::create(b, loc, bitcast(integer, shifted), i32(23));
  exponent = bitcast(b.getF32Type(), add(exponent, 0x3f800000));
  Value p = f32(zrt::kExp2[0]);
  for (float next : ArrayRef<float>(zrt::kExp2).drop_front())
    p = fma(p, r, f32(next));
  return select(isLessF(x, f32(zrt::kLeastExponent)), f32(0),
                mulf(p, exponent));
}

Value AttentionBase::tanh(Value x) {
  Value zero = f32(0);
  auto minus = [&](Value value) -> Value {
    return arith::NegFOp::create(b, loc, value);
  };
  Value isNegative = isLessF(x, zero);
  Value size = select(isNegative, minus(x), x), square = mulf(x, x);
  Value p = f32(zrt::kTanh[5]);
  for (int i = 4; i >= 0; --i)
    p = fma(p, square, f32(zrt::kTanh[i]));
  Value small = fma(size, mulf(square, p), size);
  Value ten = f32(10);
  Value bounded = select(isLessF(size, ten), size, ten);
  Value e = exp2(mulf(bounded, f32(2 * zrt::kLog2E)));
  Value large = subf(f32(1), divf(f32(2), addf(e, f32(1))));
  Value result = select(isLessF(size, f32(zrt::kTanhBorder)), small, large);
  Value isNumber =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, x);
  return select(isNegative, minus(result), select(isNumber, result, x));
}

Value AttentionBase::logOfSum(Value most, Value sum) {
  Type f64 = b.getF64Type(), i64 = b.getI64Type();
  auto wide = [&](Value value) -> Value {
    return arith::ExtFOp::create(b, loc, f64, value);
  };
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getF64FloatAttr(value));
  };
  auto word = [&](uint64_t value) -> Value {
    return arith::ConstantIntOp::create(b, loc, int64_t(value), 64);
  };
  Value bits = arith::SubIOp::create(b, loc, bitcast(i64, wide(sum)),
                                     word(zrt::kRootOfHalf));
  Value exponent = arith::ShRSIOp::create(b, loc, bits, word(52));
  Value k = arith::SIToFPOp::create(b, loc, f64, exponent);
  Value mantissa = arith::AndIOp::create(b, loc, bits, word(zrt::kMantissa));
  Value m = bitcast(
      f64, arith::AddIOp::create(b, loc, mantissa, word(zrt::kRootOfHalf)));
  Value f = subf(m, number(1)), s = divf(f, addf(f, number(2)));
  Value square = mulf(s, s), twice = addf(s, s);
  Value p = number(zrt::kAtanh[0]);
  for (double next : ArrayRef<double>(zrt::kAtanh).drop_front())
    p = fma(p, square, number(next));
  Value log = fma(mulf(twice, square), p, twice);
  log = fma(k, number(zrt::kLn2OfLog), log);
  Value lse = fma(wide(most), number(double(zrt::kLn2)), log);
  lse = addf(lse, wide(subf(sum, sum)));
  return arith::TruncFOp::create(b, loc, b.getF32Type(), lse);
}
