//===- DeltaKeys.cpp - Adjoints of queries and keys of a chunk ------------===//

#include "passes/codegen/gpu/delta/DeltaChunk.h"

using namespace mlir;
using namespace mlir::zero;

Value DeltaChunk::addQueriesAndKeys() {
  Values sums(size_t(kRows * kOwnLanes), f32(0));
  sums = loop(
      index(0), index(shape.keyWidth), kPanel, sums,
      [&](Value panel, ArrayRef<Value> carried) {
        Values next(carried);
        Values dk = timesRows([&](Value i, Value n) { return loadU(i, n); },
                              all.room, panel, zeros(kPanelColumns));
        addToLanes(next, panelOf(all.k, keyHead, panel, shape.keyWidth), dk);
        for (auto [i, one] : llvm::enumerate(dk))
          one = mulf(number(F, ownRow(int64_t(i) / kPanelColumns)), one);
        dk = addTransposed(square, all.q, panel, dk);
        if (hasBeta()) {
          dk = timesRows(
              [&](Value i, Value n) {
                return scaled(factorOfR(i), loadR(i, n));
              },
              all.states, panel, dk);
          dk = addSquare(other, all.k, panel, dk);
          dk = addTransposed(other, all.k, panel, dk);
        }
        addTo(all.dk, panel, dk);
        Values dq = timesRows(
            [&](Value i, Value n) {
              return scaled(number(E, i), loadGrad(i, n));
            },
            all.states, panel, zeros(kPanelColumns));
        addTo(all.dq, panel, addSquare(square, all.k, panel, dq));
        return next;
      });
  return sumLanes(sums);
}

Values DeltaChunk::timesRows(Row row, Value state, Value panel,
                             ArrayRef<Value> sums) {
  return addProducts(
      index(shape.valueWidth), kQuad, sums,
      [&](Value n) { return rowsAt(row, n); },
      [&](Value n) {
        return columnsAt(
            [&](Value c, Value at) {
              return loadState(state, add(panel, c), at);
            },
            n, kPanelColumns);
      });
}

Values DeltaChunk::panelRow(Value view, Value i, Value panel) {
  Values elements;
  for (int64_t c = 0; c < kPanelColumns; ++c)
    elements.push_back(
        loadOne(view, {batch, position(i), keyHead,
                       min(add(panel, ownColumn(c)), shape.keyWidth - 1)}));
  return elements;
}

Values DeltaChunk::addSquare(Value of, Value view, Value panel,
                             ArrayRef<Value> sums) {
  return addProducts(
      rows, kQuad, sums, [&](Value n) { return squareRows(of, n); },
      [&](Value n) {
        return rowsBelow(n, kQuad,
                         [&](Value i) { return panelRow(view, i, panel); });
      });
}

Values DeltaChunk::addTransposed(Value of, Value view, Value panel,
                                 ArrayRef<Value> sums) {
  return addProducts(
      rows, 1, sums, [&](Value i) { return transposedRows(of, i); },
      [&](Value i) { return panelRow(view, i, panel); });
}

void DeltaChunk::addTo(Value view, Value panel, ArrayRef<Value> values) {
  for (int64_t i = 0; i < kRows * kPanelColumns; ++i) {
    Value row = ownRow(i / kPanelColumns),
          column = add(panel, ownColumn(i % kPanelColumns));
    when(both(isRow(row), isLess(column, shape.keyWidth)), [&] {
      Values place{batch, position(row), keyHead, column};
      Value sum = ifThen(isLess(index(0), nth), {f32(0)},
                         [&]() -> Values { return {loadOne(view, place)}; })[0];
      storeOne(addf(sum, values[size_t(i)]), view, place);
    });
  }
}
