//===- DeltaStates.cpp - Adjoints of the states of a delta rule -----------===//
//
// The first launch of the backward.  Parts of a unit, which is a head of keys,
// are the slices of columns of each head of values that reads it.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/gpu/delta/DeltaLaunches.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

/// `state` is dS here.
class DeltaStates : DeltaSlice {
public:
  DeltaStates(OpBuilder &b, Location loc, const DeltaShape &shape,
              const KernelViews &views, const DeltaOperands &all)
      : DeltaSlice(b, loc, shape, views, all) {
    batch = div(views.begin, shape.keyHeads);
    keyHead = rem(views.begin, shape.keyHeads);
    head = add(mul(keyHead, shape.headsPerKey()), div(part, shape.slices()));
  }

  void emit() {
    clearState();
    loop(index(0), index(shape.chunks()), 1, {},
         [&](Value done, ArrayRef<Value>) {
           Value chunk = sub(sub(index(shape.chunks()), 1), done);
           openChunk(mul(chunk, kChunk));
           saveState(all.room);
           formP();
           barrier();
           findGradientOfU();
           if (hasBeta()) {
             barrier();
             fillDecays();
             barrier();
             formA();
             solve(/*isTransposed=*/true);
           } else {
             barrier();
           }
           putTile(all.dv, [&](Value i) -> Values {
             return {batch, position(i), head};
           });
           passState();
           barrier();
           if (hasBeta()) {
             findU(/*isSaved=*/true);
             putTile(all.room, [&](Value i) -> Values {
               return {batch, head, chunk, add(i, shape.keyWidth)};
             });
             barrier();
           }
           return Values();
         });
  }

private:
  Values loadGrad(Value i) { return loadColumns(all.grad, i); }

  /// dU = P^T dO + (F K) dS, in `tile`.
  void findGradientOfU() {
    Values du = addProducts(
        rows, 1, zeros(width),
        [&](Value i) { return transposedRows(square, i); },
        [&](Value i) { return loadGrad(i); });
    du = addProducts(
        index(shape.keyWidth), kQuad, du,
        [&](Value n) {
          return rowsAt(
              [&](Value i, Value at) {
                Values keys = loadKey(i, at);
                for (Value &key : keys)
                  key = mulf(number(F, i), key);
                return keys;
              },
              n);
        },
        [&](Value n) {
          return rowsBelow(n, kQuad, [&](Value i) { return stateRow(i); });
        });
    for (int64_t r = 0; r < kRows; ++r)
      storeTile(ArrayRef(du).slice(size_t(r * width), size_t(width)), tile,
                ownRow(r));
  }

  /// Stores the thread's rows of `tile`.
  void putTile(Value view, llvm::function_ref<Values(Value)> place) {
    for (int64_t r = 0; r < kRows; ++r)
      when(isRow(ownRow(r)),
           [&] { store(tileRow(ownRow(r)), view, place(ownRow(r)), inRow); });
  }

  /// dS = E_last dS + Q^T (E dO) - K^T (beta E dR).
  void passState() {
    Value last = number(E, sub(rows, 1));
    auto columnsOf = [&](Value view, Value i, Value from) {
      return load(view, {batch, add(first, i), keyHead}, from);
    };
    updateState([&](Value from, ArrayRef<Value> before) {
      Values sums;
      for (Value one : before)
        sums.push_back(mulf(one, last));
      sums = addProducts(
          rows, 1, sums, [&](Value i) { return columnsOf(all.q, i, from); },
          [&](Value i) {
            Values grad = loadGrad(i);
            for (Value &one : grad)
              one = mulf(number(E, i), one);
            return grad;
          });
      if (!hasBeta())
        return sums;
      return addProducts(
          rows, 1, sums, [&](Value i) { return columnsOf(all.k, i, from); },
          [&](Value i) {
            Value factor = minus(mulf(number(Beta, i), number(E, i)));
            Values dr = tileRow(i);
            for (Value &one : dr)
              one = mulf(factor, one);
            return dr;
          });
    });
  }
};

} // namespace

void zero::emitDeltaStates(OpBuilder &b, Location loc, const DeltaShape &shape,
                           const KernelViews &views, const DeltaOperands &all) {
  DeltaStates(b, loc, shape, views, all).emit();
}
