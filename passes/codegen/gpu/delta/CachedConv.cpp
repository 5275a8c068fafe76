//===- CachedConv.cpp - Causal convolutions with kept inputs, by threads --===//
//
// A unit is a slot, a part of it has 128 channels, and a thread has one.  It
// reads and writes its channel alone, so that nothing waits.  The bits are
// those of the CPU's kernel: products are rounded, and added from the earliest
// position on.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/gpu/delta/DeltaLaunches.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

class CachedConv : BlockCode {
public:
  static constexpr int64_t kThreads = 128;

  CachedConv(OpBuilder &b, Location loc, const KernelViews &views,
             const CachedConvOperands &all)
      : BlockCode(b, loc), all(all), slot(views.begin),
        channel(add(mul(views.end, kThreads), views.lanes.thread)) {}

  void emit() {
    Value begin = max(toIndex(loadOne(all.begin, slot)), 0),
          count =
              max(min(toIndex(loadOne(all.count, slot)), size(all.x, 1)), 0);
    when(isLess(channel, size(all.x, 2)), [&] {
      overRows(index(0), count, [&](Value row) {
        storeOne(resultOf(begin, row), all.out, {slot, row, channel});
      });
      overRows(count, index(size(all.x, 1)), [&](Value row) {
        storeOne(f32(0), all.out, {slot, row, channel});
      });
      overRows(index(0), count, [&](Value row) {
        storeOne(loadOne(all.x, {slot, row, channel}), all.inputs,
                 kept(add(begin, row)));
      });
    });
  }

  int64_t parts() { return llvm::divideCeil(size(all.x, 2), kThreads); }

private:
  static int64_t size(Value view, unsigned dim) {
    return cast<MemRefType>(view.getType()).getDimSize(dim);
  }

  void overRows(Value from, Value to, llvm::function_ref<void(Value)> body) {
    loop(from, to, 1, {}, [&](Value row, ArrayRef<Value>) {
      body(row);
      return Values();
    });
  }

  Values kept(Value position) {
    return {slot, rem(position, size(all.inputs, 1)), channel};
  }

  Value resultOf(Value begin, Value row) {
    const int64_t taps = size(all.weight, 1);
    Value sum;
    for (int64_t tap = 0; tap < taps; ++tap) {
      Value ofRun = sub(row, taps - 1 - tap), position = add(begin, ofRun),
            weight = loadOne(all.weight, {channel, index(tap)}),
            term = mulf(input(ofRun, position), weight);
      if (all.starts)
        term = select(isLess(position, toIndex(loadOne(all.starts, slot))),
                      f32(0), term);
      sum = tap == 0 ? term : addf(sum, term);
    }
    return sum;
  }

  /// The input at a position, which is row `ofRun` of the run, of an earlier
  /// run, or before position 0.
  Value input(Value ofRun, Value position) {
    Value isOld = isLess(ofRun, 0), isThere = isNot(isLess(position, 0));
    Values old = ifThen(both(isOld, isThere), {f32(0)}, [&]() -> Values {
      return {loadOne(all.inputs, kept(position))};
    });
    return ifThen(isNot(isOld), old, [&]() -> Values {
      return {loadOne(all.x, {slot, ofRun, channel})};
    })[0];
  }

  const CachedConvOperands &all;
  Value slot, channel;
};

} // namespace

BlockParts zero::emitCachedConv(OpBuilder &b, Location loc,
                                const KernelViews &views,
                                const CachedConvOperands &all) {
  CachedConv conv(b, loc, views, all);
  conv.emit();
  return {conv.parts(), 0};
}
