//===- HalfWarpSquares.cpp - Sums of squares by half-warps ----------------===//
//
// zrt_squares_TYPE(gradient, f64 partials, elements) computes the same bits as
// ZRT_SQUARES on the host (runtime/device/cpu/SumSquares.cpp).  Each thread of
// a half-warp of 16 has one of the 16 running sums, and a half-warp does one
// block of the gradient:
//
//   for i = begin + thread, + 16, + 32, ... below end
//     sum += x[i] x[i]                   exact in f64, then rounded once;
//                                        8 of them are read, then added
//   sum += sum of thread ^ 8, ^ 4, ^ 2, ^ 1
//   thread 0: partials[begin / block] = sum
//
//===----------------------------------------------------------------------===//

#include "abi/DeviceEntries.h"
#include "abi/zrt.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Support/DebugStringHelper.h"
#include "passes/codegen/gpu/BlockCode.h"
#include "passes/codegen/gpu/HalfWarpBuffers.h"
#include "passes/codegen/gpu/RuntimeKernels.h"
#include "passes/codegen/gpu/Shuffle.h"
#include "passes/codegen/loops/VectorLoops.h"

using namespace mlir;
using namespace mlir::zero;

static void buildSquares(OpBuilder &b, Location loc,
                         const RuntimeArguments &given) {
  Value gradient = given.operands[0], partials = given.operands[1],
        thread = given.thread, begin = given.begin, end = given.end;
  Type element = cast<MemRefType>(gradient.getType()).getElementType(),
       wide = b.getF64Type();
  /// Elements that a thread loads before it adds any.
  constexpr int64_t kAhead = 8;

  BlockCode code(b, loc);
  // The last group of the last block of threads may have nothing to do.
  code.when(code.isBelow(begin, end), [&] {
    Value elements = code.viewAll(gradient, end),
          none = arith::ConstantOp::create(b, loc, b.getFloatAttr(wide, 0)),
          first = code.add(begin, thread),
          rounds = code.div(code.sub(end, begin), kAhead * kHalfWarpThreads);
    auto load = [&](Value at) -> Value {
      Value x = code.loadOne(elements, at);
      if (!element.isF32())
        x = arith::ExtFOp::create(b, loc, b.getF32Type(), x);
      return x;
    };
    auto addSquare = [&](Value sum, Value x) -> Value {
      x = arith::ExtFOp::create(b, loc, wide, x);
      return code.addf(sum, code.mulf(x, x));
    };
    Value sum = code.loop(
        code.index(0), rounds, 1, {none},
        [&](Value round, ArrayRef<Value> carried) -> Values {
          Value at =
              code.add(first, code.mul(round, kAhead * kHalfWarpThreads));
          Values numbers;
          for (int64_t i = 0; i < kAhead; ++i)
            numbers.push_back(load(code.add(at, i * kHalfWarpThreads)));
          Value all = carried[0];
          for (Value x : numbers)
            all = addSquare(all, x);
          return {all};
        })[0];
    Value rest = code.add(first, code.mul(rounds, kAhead * kHalfWarpThreads));
    sum = code.loop(rest, end, kHalfWarpThreads, {sum},
                    [&](Value at, ArrayRef<Value> carried) -> Values {
                      return {addSquare(carried[0], load(at))};
                    })[0];
    for (int64_t apart = kHalfWarpThreads / 2; apart >= 1; apart /= 2)
      sum = code.addf(sum, shuffleXor(b, loc, sum, thread, apart));
    code.when(code.isEqual(thread, 0), [&] {
      Value block = code.div(begin, ZRT_SQUARES_BLOCK);
      code.storeOne(sum, code.viewAll(partials, code.add(block, 1)), block);
    });
  });
}

RuntimeKernel zero::getSquaresKernel(Type element) {
  return {zrt::squaresEntry(debugString(element)),
          {element, Float64Type::get(element.getContext())},
          {{kHalfWarpUnitsAttr, 1}, {kUnitElementsAttr, ZRT_SQUARES_BLOCK}},
          buildSquares};
}
