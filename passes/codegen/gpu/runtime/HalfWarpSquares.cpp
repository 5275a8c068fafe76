//===- HalfWarpSquares.cpp - Sums of squares by half-warps ----------------===//
//
// zrt_squares_TYPE(gradient, f64 partials, table, units) computes the same bits
// as ZRT_SQUARES on the host (runtime/device/cpu/SumSquares.cpp).  Unit i is a
// block of the gradient, the elements from table[2 i] to before table[2 i + 1].
// A half-warp has a unit, and each of its 16 threads one of the 16 running
// sums, which has every 16th element.  Its additions wait for each other, so
// nothing else may wait: elements come to shared memory by copies of 16 bytes,
// three stages before they are added.
//
//   start stages 0, 1, 2
//   for each stage of 2 KiB
//     wait for it; start the one three further, where the last one was
//     for i = thread, + 16, ...: sum += x[i] x[i]
//                                        x[i] x[i] is exact in f64
//   sum += sum of thread ^ 8, ^ 4, ^ 2, ^ 1
//   thread 0: partials[unit] = sum
//
// A block has only four units: a bucket has a few hundred, which all
// multiprocessors shall share.
//
//===----------------------------------------------------------------------===//

#include "abi/DeviceEntries.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Support/DebugStringHelper.h"
#include "passes/codegen/gpu/runtime/RuntimeKernels.h"
#include "passes/codegen/gpu/threads/BlockCode.h"
#include "passes/codegen/gpu/threads/HalfWarpBuffers.h"
#include "passes/codegen/gpu/threads/Shuffle.h"
#include "passes/codegen/gpu/threads/Warp.h"
#include "passes/codegen/loops/VectorLoops.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

/// Bytes of a stage, and of a copy.
constexpr int64_t kStageBytes = 2048, kCopyBytes = 16;
/// Stages in shared memory: of one, elements are added.
constexpr int64_t kStages = kNewerCopies + 2;
constexpr int64_t kUnits = 4, kUnitBytes = kStages * kStageBytes;

class Squares : public BlockCode {
public:
  Squares(OpBuilder &b, Location loc, const RuntimeArguments &given)
      : BlockCode(b, loc), given(given),
        element(cast<MemRefType>(given.operands[0].getType()).getElementType()),
        wide(b.getF64Type()), stageElements(kStageBytes / size()),
        lane(rem(given.thread, kHalfWarpThreads)) {}

  void emit() {
    Value group = div(given.thread, kHalfWarpThreads),
          unit = add(given.begin, group);
    // The last block may have too few units.
    when(isBelow(unit, given.end), [&] { emitUnit(group, unit); });
  }

private:
  const RuntimeArguments &given;
  Type element, wide;
  int64_t stageElements;
  Value lane;       ///< of the half-warp
  Value begin, end; ///< of the unit
  Value stages;     ///< their number
  Value first;      ///< address of the unit's first element
  Value place;      ///< of its stages in shared memory, in bytes, for copies
  Value elements;   ///< of its stages

  int64_t size() const { return element.getIntOrFloatBitWidth() / 8; }

  void emitUnit(Value group, Value unit) {
    Value entry = mul(unit, 2),
          table = viewAll(given.operands[2], add(entry, 2));
    begin = toIndex(loadOne(table, entry));
    end = toIndex(loadOne(table, add(entry, 1)));
    stages = div(add(sub(end, begin), stageElements - 1), stageElements);
    first = add(memref::ExtractAlignedPointerAsIndexOp::create(
                    b, loc, given.operands[0]),
                mul(begin, size()));
    Value at = mul(group, kUnitBytes);
    place = toI32(add(at, mul(lane, kCopyBytes)));
    elements = viewAs(MemRefType::get({kUnitBytes / size()}, element),
                      given.shared, at);
    for (int64_t i = 0; i < kStages - 1; ++i)
      start(index(i));
    Value none = arith::ConstantOp::create(b, loc, b.getFloatAttr(wide, 0));
    Value sum = loop(index(0), stages, 1, {none},
                     [&](Value stage, ArrayRef<Value> sums) -> Values {
                       callWarp(b, loc, kWaitForOlderCopies, {});
                       // All have arrived, and the last stage was added.
                       syncHalfWarp(b, loc);
                       start(add(stage, kStages - 1));
                       return {addStage(stage, sums[0])};
                     })[0];
    for (int64_t apart = kHalfWarpThreads / 2; apart >= 1; apart /= 2)
      sum = addf(sum, shuffleXor(b, loc, sum, lane, apart));
    when(isEqual(lane, 0), [&] {
      storeOne(sum, viewAll(given.operands[1], add(unit, 1)), unit);
    });
  }

  /// Starts the thread's copies of a stage, if the unit has it.
  void start(Value stage) {
    when(isBelow(stage, stages), [&] {
      Value at = add(mul(stage, kStageBytes), mul(lane, kCopyBytes)),
            left = sub(mul(sub(end, begin), size()), at),
            to = add(place, toI32(mul(rem(stage, kStages), kStageBytes)));
      constexpr int64_t kApart = kCopyBytes * kHalfWarpThreads;
      for (int64_t i = 0; i < kStageBytes; i += kApart) {
        Value bytes = max(min(sub(left, i), kCopyBytes), 0);
        startCopy(b, loc, to, i, add(first, add(at, i)), toI32(bytes));
      }
    });
    callWarp(b, loc, kEndCopies, {});
  }

  Value addSquare(Value sum, Value x) {
    if (!element.isF32())
      x = arith::ExtFOp::create(b, loc, b.getF32Type(), x);
    x = arith::ExtFOp::create(b, loc, wide, x);
    return fma(x, x, sum);
  }

  /// Adds the elements of a stage that has arrived.
  Value addStage(Value stage, Value sum) {
    Value at = add(mul(rem(stage, kStages), stageElements), lane),
          left = sub(sub(end, begin), mul(stage, stageElements)),
          isWhole = isNot(isBelow(left, index(stageElements)));
    Value all = ifThen(isWhole, {sum}, [&]() -> Values {
      Value whole = sum;
      for (int64_t i = 0; i < stageElements; i += kHalfWarpThreads)
        whole = addSquare(whole, loadOne(elements, add(at, i)));
      return {whole};
    })[0];
    return loop(
        lane, select(isWhole, index(0), left), kHalfWarpThreads, {all},
        [&](Value i, ArrayRef<Value> sums) -> Values {
          return {addSquare(sums[0], loadOne(elements, add(at, sub(i, lane))))};
        })[0];
  }
};

} // namespace

static void buildSquares(OpBuilder &b, Location loc,
                         const RuntimeArguments &given) {
  Squares(b, loc, given).emit();
}

RuntimeKernel zero::getSquaresKernel(Type element) {
  return {zrt::squaresEntry(debugString(element)),
          {element, Float64Type::get(element.getContext()),
           IntegerType::get(element.getContext(), 64)},
          {{kHalfWarpUnitsAttr, kUnits},
           {kBlockThreadsAttr, kUnits * kHalfWarpThreads},
           {kUnitElementsAttr, 1},
           {kSharedBytesAttr, kUnits * kUnitBytes}},
          buildSquares};
}
