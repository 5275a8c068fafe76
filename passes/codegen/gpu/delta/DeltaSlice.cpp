//===- DeltaSlice.cpp - Columns of the state of a delta rule --------------===//

#include "passes/codegen/gpu/delta/DeltaBlock.h"

using namespace mlir;
using namespace mlir::zero;

/// Rows of the state are filled up, so that products read four at a time.
static int64_t stateRows(const DeltaShape &shape) {
  return llvm::alignTo(shape.keyWidth, DeltaBlock::kQuad);
}

int64_t DeltaSlice::sharedBytes(const DeltaShape &shape) {
  return kBytes + 4 * shape.columns() * (stateRows(shape) + kChunk);
}

DeltaSlice::DeltaSlice(OpBuilder &b, Location loc, const DeltaShape &shape,
                       const KernelViews &views, const DeltaOperands &all)
    : DeltaBlock(b, loc, shape, views, all), columns(shape.columns()),
      width(columns / kAcross) {
  state = sharedTile(stateRows(shape), columns, kBytes);
  tile = sharedTile(kChunk, columns, kBytes + 4 * columns * stateRows(shape));
  column = mul(x, width);
  inRow = add(mul(rem(part, shape.slices()), columns), column);
}

void DeltaSlice::clearState() {
  loop(thread, index(stateRows(shape) * columns), kThreads, {},
       [&](Value i, ArrayRef<Value>) {
         storeOne(f32(0), state, {div(i, columns), rem(i, columns)});
         return Values();
       });
  barrier();
}

Values DeltaSlice::loadColumns(Value view, Value i) {
  return load(view, {batch, position(i), head}, inRow, width,
              /*isInside=*/false);
}

Values DeltaSlice::loadTile(Value of, Value i) {
  Value vector = loadShared(of, i, column, width);
  Values lanes;
  for (int64_t c = 0; c < width; ++c)
    lanes.push_back(lane(vector, c));
  return lanes;
}

void DeltaSlice::storeTile(ArrayRef<Value> values, Value of, Value i) {
  storeShared(vectorOf(values), of, i, column);
}

void DeltaSlice::saveState(Value to) {
  loop(y, index(shape.keyWidth), kThreads / kAcross, {},
       [&](Value i, ArrayRef<Value>) {
         store(stateRow(i), to, {batch, head, div(first, kChunk), i}, inRow);
         return Values();
       });
}

void DeltaSlice::updateState(
    llvm::function_ref<Values(Value, ArrayRef<Value>)> body) {
  loop(mul(y, kRows), index(shape.keyWidth), kChunk, {},
       [&](Value from, ArrayRef<Value>) {
         Values sums;
         for (int64_t r = 0; r < kRows; ++r)
           sums.append(stateRow(min(add(from, r), stateRows(shape) - 1)));
         Values next = body(from, sums);
         for (int64_t r = 0; r < kRows; ++r)
           when(isLess(add(from, r), shape.keyWidth), [&] {
             storeTile(ArrayRef(next).slice(size_t(r * width), size_t(width)),
                       state, add(from, r));
           });
         return Values();
       });
}

Values DeltaSlice::keysTimesState(bool isSaved) {
  auto row = [&](Value n) -> Values {
    if (!isSaved)
      return stateRow(n);
    return load(all.states,
                {batch, head, div(first, kChunk), min(n, shape.keyWidth - 1)},
                inRow, width, /*isInside=*/false);
  };
  return addProducts(
      index(shape.keyWidth), kQuad, zeros(width),
      [&](Value n) {
        return rowsAt([&](Value i, Value at) { return loadKey(i, at); }, n);
      },
      [&](Value n) { return rowsBelow(n, kQuad, row); });
}

void DeltaSlice::findU(bool isSaved) {
  if (!hasBeta()) {
    for (int64_t r = 0; r < kRows; ++r) {
      Values u = loadColumns(all.v, ownRow(r));
      for (Value &one : u)
        one = select(isRow(ownRow(r)), one, f32(0));
      storeTile(u, tile, ownRow(r));
    }
    return barrier();
  }
  Values products = keysTimesState(isSaved);
  for (int64_t r = 0; r < kRows; ++r) {
    Value i = ownRow(r), decay = minus(number(E, i));
    Values u = loadColumns(all.v, i);
    for (auto [c, one] : llvm::enumerate(u))
      one = mulf(number(Beta, i),
                 fma(decay, products[size_t(r * width) + c], one));
    storeTile(u, tile, i);
  }
  solve(/*isTransposed=*/false);
}

void DeltaSlice::solve(bool isTransposed) {
  // Row j is final when the rows that it depends on have been subtracted; then
  // all others subtract it, each in the CPU's order.
  const int64_t groups = kThreads / columns;
  Value c = rem(thread, columns), group = div(thread, columns);
  barrier();
  loop(index(0), rows, 1, {}, [&](Value step, ArrayRef<Value>) {
    Value j = isTransposed ? sub(sub(rows, 1), step) : step;
    Value solved = loadOne(tile, {j, c});
    loop(isTransposed ? group : add(add(j, 1), group), isTransposed ? j : rows,
         groups, {}, [&](Value i, ArrayRef<Value>) {
           Values place{i, j};
           if (isTransposed)
             std::swap(place[0], place[1]);
           Value by = minus(loadOne(square, place));
           storeOne(fma(by, solved, loadOne(tile, {i, c})), tile, {i, c});
           return Values();
         });
    barrier();
    return Values();
  });
}
