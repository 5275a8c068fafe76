//===- StochasticRounding.cpp - Stochastic rounding to bf16 ---------------===//
//
// A bf16 is the upper half of an f32.  A random number of 16 bits is added to
// the lower half, which is then dropped.  The larger the lower half, the more
// often the sum carries into the upper half, so the mean of many roundings is
// the value.
//
//     upper          lower
//   | 0 10000010 1101001 | 0100000000000000 |    a quarter above
//                      + | rrrrrrrrrrrrrrrr |    carries one time in four
//
// The bits are a hash of the element's place in its parameter, under a key of
// 64 bits that the runtime makes (BucketWork.cpp) from seed, step and name.  So
// they do not depend on buckets, slices and threads.  The hash is MurmurHash3's
// finalizer of 32 bits, applied once before and once after mixing in the second
// half of the key: shifts, exclusive ors and four products, all vectorized.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/loops/StochasticRounding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

/// Arithmetic on i32.
struct Bits {
  OpBuilder &b;
  Location loc;
  Value v;

  Bits with(Value value) const { return {b, loc, value}; }
  Value constant(uint32_t number) const {
    return arith::ConstantOp::create(
        b, loc, b.getI32IntegerAttr(static_cast<int32_t>(number)));
  }
  Bits operator^(Value other) const {
    return with(arith::XOrIOp::create(b, loc, v, other));
  }
  Bits operator+(Value other) const {
    return with(arith::AddIOp::create(b, loc, v, other));
  }
  Bits operator*(uint32_t factor) const {
    return with(arith::MulIOp::create(b, loc, v, constant(factor)));
  }
  Bits operator>>(uint32_t count) const {
    return with(arith::ShRUIOp::create(b, loc, v, constant(count)));
  }
};

/// MurmurHash3's fmix32 (Appleby): every bit of the result depends on every bit
/// of `x`.
Bits mix(Bits x) {
  Bits once = (x ^ (x >> 16).v) * 0x85ebca6b;
  Bits twice = (once ^ (once >> 13).v) * 0xc2b2ae35;
  return twice ^ (twice >> 16).v;
}

} // namespace

RoundingKey RoundingKey::load(OpBuilder &b, Location loc, Value memref) {
  auto word = [&](int64_t i) -> Value {
    return memref::LoadOp::create(
        b, loc, memref, ValueRange{arith::ConstantIndexOp::create(b, loc, i)});
  };
  return {word(0), word(1), word(2)};
}

Value zero::drawBits(OpBuilder &b, Location loc, const RoundingKey &key,
                     Value place) {
  Bits x{b, loc,
         arith::IndexCastOp::create(b, loc, Type(b.getI32Type()), place)};
  Bits half = mix((x + key.shift) ^ key.first);
  return mix(half + key.second).v;
}

Value zero::roundByChance(OpBuilder &b, Location loc, Value value, Value bits) {
  Type bf16 = b.getBF16Type();
  Bits exact{b, loc,
             arith::BitcastOp::create(b, loc, Type(b.getI32Type()), value)};
  Bits random = exact.with(bits) >> 16;
  Value upper = arith::TruncIOp::create(b, loc, Type(b.getI16Type()),
                                        ((exact + random.v) >> 16).v);
  Value rounded = arith::BitcastOp::create(b, loc, bf16, upper);
  // For a NaN the sum could overflow.
  Value isNumber =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, value, value);
  Value other = arith::TruncFOp::create(b, loc, bf16, value);
  return arith::SelectOp::create(b, loc, isNumber, rounded, other);
}
