//===- HalfWarpSquares.cpp - Sums of squares by half-warps ----------------===//
//
// zrt_squares_TYPE(gradient, f64 partials, table, units) computes the same bits
// as ZRT_SQUARES on the host (runtime/device/cpu/SumSquares.cpp).  Unit i is a
// block of the gradient, the elements from table[2 i] to before table[2 i + 1].
// A half-warp has a unit, and each of its 16 threads one of the 16 running
// sums.  It loads vectors of 16 bytes, and passes them on through shared
// memory, since a running sum has every 16th element:
//
//   for each stage of 2 KiB
//     shared = its elements; start to load the next stage
//     for i = thread, + 16, ...: sum += x[i] x[i]
//                                        x[i] x[i] is exact in f64
//   the same for the rest, without shared memory
//   sum += sum of thread ^ 8, ^ 4, ^ 2, ^ 1
//   thread 0: partials[unit] = sum
//
//===----------------------------------------------------------------------===//

#include "abi/DeviceEntries.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Support/DebugStringHelper.h"
#include "passes/codegen/gpu/runtime/RuntimeKernels.h"
#include "passes/codegen/gpu/threads/BlockCode.h"
#include "passes/codegen/gpu/threads/HalfWarpBuffers.h"
#include "passes/codegen/gpu/threads/Shuffle.h"
#include "passes/codegen/loops/VectorLoops.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

/// Bytes of a gradient that a half-warp loads while it adds those before.
constexpr int64_t kStageBytes = 2048;

class Squares : public BlockCode {
public:
  Squares(OpBuilder &b, Location loc, const RuntimeArguments &given)
      : BlockCode(b, loc), given(given),
        element(cast<MemRefType>(given.operands[0].getType()).getElementType()),
        wide(b.getF64Type()), stageElements(kStageBytes / size()) {}

  void emit() {
    Value unit = given.begin, entry = mul(unit, 2),
          table = viewAll(given.operands[2], add(entry, 2));
    begin = toIndex(loadOne(table, entry));
    end = toIndex(loadOne(table, add(entry, 1)));
    elements = viewAll(given.operands[0], end);
    stage = viewAs(MemRefType::get({stageElements}, element), given.shared,
                   index(0));
    Value none = arith::ConstantOp::create(b, loc, b.getFloatAttr(wide, 0)),
          stages = div(sub(end, begin), stageElements);
    Value sum = ifThen(isBelow(index(0), stages), {none}, [&]() -> Values {
      return {addStages(stages, none)};
    })[0];
    sum = addRest(add(begin, mul(stages, stageElements)), sum);
    for (int64_t apart = kHalfWarpThreads / 2; apart >= 1; apart /= 2)
      sum = addf(sum, shuffleXor(b, loc, sum, given.thread, apart));
    when(isEqual(given.thread, 0), [&] {
      storeOne(sum, viewAll(given.operands[1], add(unit, 1)), unit);
    });
  }

private:
  const RuntimeArguments &given;
  Type element, wide;
  int64_t stageElements;
  Value begin, end; ///< of the unit
  Value elements, stage;

  int64_t size() const { return element.getIntOrFloatBitWidth() / 8; }

  Value addSquare(Value sum, Value x) {
    if (!element.isF32())
      x = arith::ExtFOp::create(b, loc, b.getF32Type(), x);
    x = arith::ExtFOp::create(b, loc, wide, x);
    return fma(x, x, sum);
  }

  int64_t width() const { return kSharedAlignment / size(); }
  /// Calls `body` with the places of the thread's vectors of a stage.
  void forVectors(llvm::function_ref<void(Value)> body) {
    for (int64_t i = 0; i < stageElements; i += width() * kHalfWarpThreads)
      body(add(mul(given.thread, width()), i));
  }

  Values loadStage(Value number) {
    Value first = add(begin, mul(number, stageElements));
    Values vectors;
    forVectors([&](Value place) {
      auto load =
          vector::LoadOp::create(b, loc, VectorType::get({width()}, element),
                                 elements, ValueRange{add(first, place)});
      load.setAlignment(kSharedAlignment);
      // Processors without bf16 would round it from block to block.
      vectors.push_back(bitcast(
          VectorType::get({width()}, b.getIntegerType(8 * unsigned(size()))),
          load));
    });
    return vectors;
  }

  Value addStages(Value stages, Value sum) {
    Values carried = loadStage(index(0));
    carried.insert(carried.begin(), sum);
    return loop(index(0), stages, 1, carried,
                [&](Value number, ArrayRef<Value> now) {
                  const Value *vector = &now[1];
                  forVectors([&](Value place) {
                    Value numbers =
                        bitcast(VectorType::get({width()}, element), *vector++);
                    auto store = vector::StoreOp::create(b, loc, numbers, stage,
                                                         ValueRange{place});
                    store.setAlignment(kSharedAlignment);
                  });
                  Values next = loadStage(min(add(number, 1), sub(stages, 1)));
                  syncHalfWarp(b, loc);
                  Value sum = now[0];
                  for (int64_t i = 0; i < stageElements; i += kHalfWarpThreads)
                    sum = addSquare(sum, loadOne(stage, add(given.thread, i)));
                  syncHalfWarp(b, loc);
                  next.insert(next.begin(), sum);
                  return next;
                })[0];
  }

  /// The elements behind the last whole stage.
  Value addRest(Value from, Value sum) {
    constexpr int64_t kAhead = 8, kStep = kAhead * kHalfWarpThreads;
    Value rounds = div(sub(end, from), kStep), first = add(from, given.thread);
    sum = loop(index(0), rounds, 1, {sum},
               [&](Value round, ArrayRef<Value> carried) -> Values {
                 Value at = add(first, mul(round, kStep));
                 Values numbers;
                 for (int64_t i = 0; i < kAhead; ++i)
                   numbers.push_back(
                       loadOne(elements, add(at, i * kHalfWarpThreads)));
                 Value all = carried[0];
                 for (Value x : numbers)
                   all = addSquare(all, x);
                 return {all};
               })[0];
    return loop(add(first, mul(rounds, kStep)), end, kHalfWarpThreads, {sum},
                [&](Value at, ArrayRef<Value> carried) -> Values {
                  return {addSquare(carried[0], loadOne(elements, at))};
                })[0];
  }
};

} // namespace

static void buildSquares(OpBuilder &b, Location loc,
                         const RuntimeArguments &given) {
  Squares code(b, loc, given);
  // The last group of the last block of threads may have nothing to do.
  code.when(code.isBelow(given.begin, given.end), [&] { code.emit(); });
}

RuntimeKernel zero::getSquaresKernel(Type element) {
  return {zrt::squaresEntry(debugString(element)),
          {element, Float64Type::get(element.getContext()),
           IntegerType::get(element.getContext(), 64)},
          {{kHalfWarpUnitsAttr, 1},
           {kUnitElementsAttr, 1},
           {kSharedBytesAttr, kStageBytes}},
          buildSquares};
}
