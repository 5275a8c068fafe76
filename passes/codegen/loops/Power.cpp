//===- Power.cpp - pow and exp in arithmetic ------------------------------===//
//
// AdamW needs 1 - beta^step in f64.  GPUs have no pow, and C libraries have
// different ones.  This one uses additions, products, quotients and FMA, so
// that every machine computes the same bits.  It rounds once in all but a few
// cases of a million, because numbers are sums of two f64, of about 106 bits.
//
//   x^y = exp(y log x)
//
//   x = 2^k m with sqrt(1/2) <= m < sqrt(2)  log x = k ln2 + log m
//   t = (m - 1) / (m + 1)                    log m = 2 (t + t^3/3 + t^5/5 + ..)
//   y log x = n ln2 + r with |r| <= ln2 / 2  exp = 2^n (1 + r + r^2/2! + ...)
//
// High terms of both series are small, and are single f64.  The error before
// the result is rounded is below 2^-65.  Results below 2^-1022 are rounded
// twice.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/loops/Power.h"

#include <array>
#include <limits>
#include <numbers>

using namespace mlir;
using namespace mlir::zero;
using nn::S;

namespace {

/// The sum of two f64, the second at most a rounding error of the first.
struct Pair {
  S high, low;
};

/// ln 2 as the sum of two f64; the first has 42 bits, so that its products with
/// exponents are exact.
constexpr double kLn2HighF64 = 0x1.62e42fefa3800p-1,
                 kLn2LowF64 = 0x1.ef35793c7673p-45;
/// 1.5 x 2^52: adding a whole number to it leaves the number in the low bits of
/// the sum.
constexpr double kWhole = 0x1.8p52;
constexpr int64_t kWholeBits = 0x4338000000000000;
constexpr int kFraction = 52, kBias = 1023;
constexpr int64_t kRootOfHalfBits = 0x3fe6a09e667f3bcd;

/// The number of terms that are pairs, and of the other terms.
constexpr int kLogPairs = 4, kLogTerms = 11, kExpPairs = 5, kExpTerms = 12;

//===----------------------------------------------------------------------===//
// Arithmetic of pairs
//===----------------------------------------------------------------------===//

/// a + b, exactly, with |a| >= |b|.
Pair sumOfSorted(S a, S b) {
  S sum = a + b;
  return {sum, b - (sum - a)};
}

/// a + b, exactly.
Pair sumOf(S a, S b) {
  S sum = a + b, second = sum - a;
  return {sum, (a - (sum - second)) + (b - second)};
}

/// a b, exactly.
Pair productOf(S a, S b) {
  S product = a * b;
  return {product, fma(a, b, -product)};
}

Pair operator+(Pair a, Pair b) {
  Pair sum = sumOf(a.high, b.high);
  return sumOfSorted(sum.high, sum.low + (a.low + b.low));
}

Pair operator*(Pair a, Pair b) {
  Pair product = productOf(a.high, b.high);
  S low = fma(a.high, b.low, product.low);
  return sumOfSorted(product.high, fma(a.low, b.high, low));
}

/// 1 / divisor.
Pair reciprocal(S like, double divisor) {
  const double high = 1 / divisor;
  // The remainder of the quotient is exact.
  const double low = __builtin_fma(-high, divisor, 1.0) / divisor;
  return {like.constant(high), like.constant(low)};
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

Type integerLike(Type type) {
  Type i64 = IntegerType::get(type.getContext(), 64);
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(i64)) : i64;
}

S wholeConstant(S like, int64_t value) {
  Type type = integerLike(like.v.getType());
  TypedAttr one = like.b->getI64IntegerAttr(value);
  if (auto vector = dyn_cast<VectorType>(type))
    one = DenseElementsAttr::get(vector, Attribute(one));
  return like.with(arith::ConstantOp::create(*like.b, like.loc, one));
}

S bitsOf(S x) {
  return x.with(
      arith::BitcastOp::create(*x.b, x.loc, integerLike(x.v.getType()), x.v));
}
/// `bits` as f64, of the type of `like`.
S numberOf(S bits, S like) {
  return like.with(
      arith::BitcastOp::create(*like.b, like.loc, like.v.getType(), bits.v));
}

/// 2^n, where n is an integer from -1022 to 1023.
S exactPowerOfTwo(S n, S like) {
  S exponent = n.apply<arith::AddIOp>(wholeConstant(like, kBias));
  return numberOf(exponent.apply<arith::ShLIOp>(wholeConstant(like, kFraction)),
                  like);
}

Value compare(arith::CmpFPredicate predicate, S a, S b) {
  return arith::CmpFOp::create(*a.b, a.loc, predicate, a.v, b.v);
}
Value isLess(S a, S b) { return compare(arith::CmpFPredicate::OLT, a, b); }
Value isEqual(S a, S b) { return compare(arith::CmpFPredicate::OEQ, a, b); }
Value either(S like, Value a, Value b) {
  return arith::OrIOp::create(*like.b, like.loc, a, b);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// log(x) of a positive number.
Pair logOf(S x) {
  constexpr double kSmallest = std::numeric_limits<double>::min();
  Value isSmall = isLess(x, x.constant(kSmallest));
  S bits = bitsOf(select(isSmall, x * 0x1p54, x));
  S k = bits.apply<arith::SubIOp>(wholeConstant(x, kRootOfHalfBits))
            .apply<arith::ShRSIOp>(wholeConstant(x, kFraction));
  S m = numberOf(bits.apply<arith::SubIOp>(
                     k.apply<arith::ShLIOp>(wholeConstant(x, kFraction))),
                 x);
  S shifted = numberOf(k.apply<arith::AddIOp>(wholeConstant(x, kWholeBits)), x);
  S exponent = shifted - x.constant(kWhole);
  exponent = exponent - select(isSmall, x.constant(54), x.constant(0));

  // The quotient, and the quotient of the remainder.
  S one = x.constant(1), above = m - one;
  Pair below = sumOf(m, one);
  S quotient = above / below.high;
  S rest = fma(-quotient, below.low, fma(-quotient, below.high, above));
  Pair t = sumOfSorted(quotient, rest / below.high), square = t * t;

  auto divisor = [](int term) { return 2.0 * term + 3; };
  S high = x.constant(1 / divisor(kLogPairs + kLogTerms - 1));
  for (int term = kLogPairs + kLogTerms - 2; term >= kLogPairs; --term)
    high = fma(high, square.high, x.constant(1 / divisor(term)));
  Pair series = productOf(high, square.high);
  for (int term = kLogPairs - 1; term >= 0; --term) {
    series = reciprocal(x, divisor(term)) + series;
    series = square * series;
  }
  Pair half = t + t * series;
  Pair ofExponent = sumOfSorted(exponent * kLn2HighF64, exponent * kLn2LowF64);
  return ofExponent + Pair{half.high * 2.0, half.low * 2.0};
}

/// exp(x).
S expOf(Pair x) {
  // Beyond these the result is 0 or infinite.
  constexpr double kMost = 800;
  S like = x.high, most = like.constant(kMost), least = like.constant(-kMost);
  S high = select(isLess(like, most), like, most);
  high = select(isLess(least, high), high, least);
  S low = select(isEqual(high, like), x.low, like.constant(0));

  S shifted =
      fma(high, like.constant(std::numbers::log2e), like.constant(kWhole));
  S n = shifted - like.constant(kWhole), minus = -n;
  Pair r = sumOf(fma(minus, like.constant(kLn2HighF64), high), low) +
           productOf(minus, like.constant(kLn2LowF64));

  std::array<double, kExpPairs + kExpTerms + 1> factorials = {1};
  for (size_t i = 1; i < factorials.size(); ++i)
    factorials[i] = factorials[i - 1] * static_cast<double>(i);
  S rest = like.constant(1 / factorials.back());
  for (int term = kExpPairs + kExpTerms - 1; term > kExpPairs; --term)
    rest = fma(rest, r.high, like.constant(1 / factorials[term]));
  Pair series = productOf(rest, r.high);
  for (int term = kExpPairs; term >= 1; --term)
    series = r * (reciprocal(like, factorials[term]) + series);
  S result = (Pair{like.constant(1), like.constant(0)} + series).high;

  // Multiplies in two steps, because 2^n may overflow or underflow where the
  // result does not.
  S count =
      bitsOf(shifted).apply<arith::SubIOp>(wholeConstant(like, kWholeBits));
  S half = count.apply<arith::ShRSIOp>(wholeConstant(like, 1));
  return result * exactPowerOfTwo(half, like) *
         exactPowerOfTwo(count.apply<arith::SubIOp>(half), like);
}

} // namespace

S zero::emitExp(S x) {
  S result = expOf({x, x.constant(0)});
  return select(compare(arith::CmpFPredicate::UNO, x, x), x, result);
}

S zero::emitPower(S x, S y) {
  S zero = x.constant(0), one = x.constant(1),
    infinity = x.constant(std::numeric_limits<double>::infinity()),
    nan = x.constant(std::numeric_limits<double>::quiet_NaN());
  S size = x.apply<math::AbsFOp>();
  // Clamps y: beyond this the result does not change, and products stay finite.
  S most = x.constant(1e300), least = -most;
  S times = select(isLess(y, most), y, most);
  times = select(isLess(least, times), times, least);
  Pair log = logOf(size), power = productOf(times, log.high);
  power.low = fma(times, log.low, power.low);
  S result = expOf(sumOfSorted(power.high, power.low));

  Value isFalling = isLess(y, zero);
  result =
      select(isEqual(size, zero), select(isFalling, infinity, zero), result);
  result = select(isEqual(size, infinity), select(isFalling, zero, infinity),
                  result);
  result = select(isEqual(size, one), one, result);

  // A negative number has only whole powers, and odd ones are negative.
  auto isWhole = [](S number) {
    return isEqual(number.apply<math::FloorOp>(), number);
  };
  Value isNegative = arith::CmpIOp::create(
      *x.b, x.loc, arith::CmpIPredicate::slt, bitsOf(x), wholeConstant(x, 0));
  Value whole = isWhole(y), even = isWhole(y * 0.5);
  S turned = select(even, result, -result);
  S ofNegative =
      select(whole, turned,
             select(either(x, isEqual(size, zero), isEqual(size, infinity)),
                    result, nan));
  result = select(isNegative, ofNegative, result);

  result = select(compare(arith::CmpFPredicate::UNO, x, y), nan, result);
  return select(either(x, isEqual(y, zero), isEqual(x, one)), one, result);
}
