//===- HalfWarpRankedSum.cpp - Sums over ranks by half-warps --------------===//
//
// zrt_ranked_sum_FROM_TO(contributions, how, result, elements) adds as a
// collective does on the host (runtime/transport/RankedSum.cpp), bit for bit.
// A unit is an element; a half-warp has 256 of them, a thread takes 16:
//
//   sum = x[0][i] + x[1][i] + ...    in rank order, in f32 (f64 where they are)
//   sum = sum * scale
//   sum = sum + result[i]            where `accumulate`
//   result[i] = sum                  rounded once
//
// Contributions may lie on other GPUs, where reads take long.  If `how` says
// that everything is aligned, a thread reads 16 bytes at once, and reads all
// that it needs from a rank before it adds.
//
//===----------------------------------------------------------------------===//

#include "abi/DeviceEntries.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Support/DebugStringHelper.h"
#include "passes/codegen/gpu/runtime/RuntimeKernels.h"
#include "passes/codegen/gpu/threads/BlockCode.h"
#include "passes/codegen/gpu/threads/HalfWarpBuffers.h"
#include "passes/codegen/loops/VectorLoops.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

class SumBuilder : BlockCode {
public:
  SumBuilder(OpBuilder &builder, Location loc, Type from, Type to)
      : BlockCode(builder, loc), from(from), to(to),
        wide(from.isF64() ? from : b.getF32Type()) {}

  void build(const RuntimeArguments &given) {
    Value thread = given.thread, begin = given.begin, end = given.end;
    Value how = viewAll(given.operands[1], index(5));
    ranks = loadIndex(how, 0);
    stride = loadIndex(how, 1);
    Value bits = loadInteger(how, 2);
    scale = toWide(arith::BitcastOp::create(b, loc, b.getF64Type(), bits));
    accumulates = isSet(how, 3);
    contributions = viewAll(given.operands[0], mul(ranks, stride));
    result = viewAll(given.operands[2], end);
    Value isWhole = both(
        isSet(how, 4), arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule,
                                             add(begin, kElements), end));
    when(isWhole, [&] { addVectors(begin, thread); });
    // The rest: this loop has no iteration if everything has been done.
    Value rest = select(isWhole, end, add(begin, thread));
    loop(rest, end, kHalfWarpThreads, {},
         [&](Value i, ArrayRef<Value>) -> Values {
           addUp(i);
           return {};
         });
  }

private:
  /// Elements of a half-warp, and bytes that a thread reads at once.
  static constexpr int64_t kElements = 16 * kHalfWarpThreads, kBytes = 16;

  Value loadInteger(Value how, int64_t at) { return loadOne(how, index(at)); }
  Value loadIndex(Value how, int64_t at) {
    return toIndex(loadInteger(how, at));
  }
  Value isSet(Value how, int64_t at) {
    return arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::ne, loadInteger(how, at),
        arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(0)));
  }
  /// Converts a number or vector to `element`.
  Value convert(Value x, Type element) {
    Type has = getElementTypeOrSelf(x), to = element;
    if (auto vector = dyn_cast<VectorType>(x.getType()))
      to = vector.clone(element);
    if (has.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth())
      return arith::ExtFOp::create(b, loc, to, x);
    return has == element ? x : Value(arith::TruncFOp::create(b, loc, to, x));
  }
  /// Converts to the type of the sum.
  Value toWide(Value x) { return convert(x, wide); }

  Value loadVector(Value view, Value at, int64_t width) {
    auto load = vector::LoadOp::create(
        b, loc,
        VectorType::get({width},
                        cast<MemRefType>(view.getType()).getElementType()),
        view, at);
    load.setAlignment(kBytes);
    return toWide(load);
  }

  /// Adds all of a half-warp's elements, in vectors.
  void addVectors(Value begin, Value thread) {
    const int64_t width = kBytes * 8 / from.getIntOrFloatBitWidth();
    SmallVector<Value> places;
    for (int64_t at = 0; at < kElements; at += kHalfWarpThreads * width)
      places.push_back(add(add(begin, at), mul(thread, width)));
    auto load = [&](Value first) {
      Values vectors;
      for (Value place : places)
        vectors.push_back(loadVector(contributions, add(first, place), width));
      return vectors;
    };
    Values sums = loop(index(1), ranks, 1, load(index(0)),
                       [&](Value rank, ArrayRef<Value> carried) -> Values {
                         Values next = load(mul(rank, stride));
                         for (auto [x, old] : llvm::zip_equal(next, carried))
                           x = addf(old, x);
                         return next;
                       });
    Value factor = spread(scale, width);
    for (Value &x : sums)
      x = mulf(x, factor);
    sums = ifThen(accumulates, sums, [&] {
      Values all;
      for (auto [x, place] : llvm::zip_equal(sums, places))
        all.push_back(addf(x, loadVector(result, place, width)));
      return all;
    });
    for (auto [x, place] : llvm::zip_equal(sums, places)) {
      auto store =
          vector::StoreOp::create(b, loc, convert(x, to), result, place);
      store.setAlignment(kBytes);
    }
  }

  void addUp(Value i) {
    Value first = toWide(loadOne(contributions, i));
    Value all = loop(index(1), ranks, 1, {first},
                     [&](Value rank, ArrayRef<Value> carried) -> Values {
                       Value at = add(mul(rank, stride), i);
                       Value x = toWide(loadOne(contributions, at));
                       return {addf(carried[0], x)};
                     })[0];
    all = mulf(all, scale);
    all = ifThen(accumulates, {all}, [&]() -> Values {
      return {addf(all, toWide(loadOne(result, i)))};
    })[0];
    storeOne(convert(all, to), result, i);
  }

  Type from, to;
  Type wide; ///< type of the sum
  Value ranks, stride, scale, accumulates, contributions, result;
};

} // namespace

RuntimeKernel zero::getRankedSumKernel(Type from, Type to) {
  return {zrt::rankedSumEntry(debugString(from), debugString(to)),
          {from, IntegerType::get(from.getContext(), 64), to},
          {{kHalfWarpUnitsAttr, 16 * kHalfWarpThreads}, {kUnitElementsAttr, 1}},
          [=](OpBuilder &b, Location loc, const RuntimeArguments &given) {
            SumBuilder(b, loc, from, to).build(given);
          }};
}
