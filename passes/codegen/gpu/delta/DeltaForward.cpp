//===- DeltaForward.cpp - The delta rule of columns of a state ------------===//

#include "passes/codegen/gpu/delta/DeltaLaunches.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

class DeltaForward : DeltaSlice {
public:
  DeltaForward(OpBuilder &b, Location loc, const DeltaShape &shape,
               const KernelViews &views, const DeltaOperands &all)
      : DeltaSlice(b, loc, shape, views, all) {
    batch = div(views.begin, shape.heads);
    head = rem(views.begin, shape.heads);
    keyHead = div(head, shape.headsPerKey());
  }

  void emit() {
    clearState();
    loop(index(0), index(shape.positions), kChunk, {},
         [&](Value at, ArrayRef<Value>) {
           openChunk(at);
           if (all.states)
             saveState(all.states);
           if (hasBeta()) {
             formA();
             findU(/*isSaved=*/false);
             fillDecays();
             barrier();
           } else {
             findU(/*isSaved=*/false);
           }
           formP();
           barrier();
           putResult();
           barrier();
           passState();
           barrier();
           return Values();
         });
  }

private:
  /// O = E Q S + P U.
  void putResult() {
    Values o = addProducts(
        index(shape.keyWidth), kQuad, zeros(width),
        [&](Value n) {
          return rowsAt([&](Value i, Value at) { return loadQuery(i, at); }, n);
        },
        [&](Value n) {
          return rowsBelow(n, kQuad, [&](Value i) { return stateRow(i); });
        });
    for (auto [i, one] : llvm::enumerate(o))
      one = mulf(number(E, ownRow(int64_t(i) / width)), one);
    o = addProducts(
        rows, kQuad, o, [&](Value n) { return squareRows(square, n); },
        [&](Value n) {
          return rowsBelow(n, kQuad, [&](Value j) { return tileRow(j); });
        });
    for (int64_t r = 0; r < kRows; ++r)
      when(isRow(ownRow(r)), [&] {
        store(ArrayRef(o).slice(size_t(r * width), size_t(width)), all.out,
              {batch, position(ownRow(r)), head}, inRow);
      });
  }

  /// S = E_last S + (F K)^T U.
  void passState() {
    Value last = number(E, sub(rows, 1));
    updateState([&](Value from, ArrayRef<Value> before) {
      Values sums;
      for (Value one : before)
        sums.push_back(mulf(one, last));
      return addProducts(
          rows, 1, sums,
          [&](Value i) {
            Values keys = load(all.k, {batch, add(first, i), keyHead}, from,
                               kQuad, /*isInside=*/true);
            for (Value &key : keys)
              key = mulf(number(F, i), key);
            return keys;
          },
          [&](Value i) { return tileRow(i); });
    });
  }
};

} // namespace

void zero::emitDeltaForward(OpBuilder &b, Location loc, const DeltaShape &shape,
                            const KernelViews &views,
                            const DeltaOperands &all) {
  DeltaForward(b, loc, shape, views, all).emit();
}
