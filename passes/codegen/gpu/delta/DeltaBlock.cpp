//===- DeltaBlock.cpp - Decays, rows and products of a delta rule ---------===//

#include "passes/codegen/gpu/delta/DeltaBlock.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/codegen/loops/Power.h"

using namespace mlir;
using namespace mlir::zero;

DeltaBlock::DeltaBlock(OpBuilder &b, Location loc, const DeltaShape &shape,
                       const KernelViews &views, const DeltaOperands &all)
    : BlockCode(b, loc), shape(shape), all(all), thread(views.lanes.thread),
      part(views.end), memory(views.shared) {
  x = rem(thread, kAcross);
  y = div(thread, kAcross);
  square = sharedTile(kChunk, kSquareStride, 0);
  numbers = sharedTile(kNumbers, kChunk, kSquareBytes);
}

Value DeltaBlock::sharedTile(int64_t tileRows, int64_t columns, int64_t at) {
  return viewAs(MemRefType::get({tileRows, columns}, b.getF32Type()), memory,
                index(at));
}

Value DeltaBlock::minus(Value number) {
  return arith::NegFOp::create(b, loc, number);
}

Value zero::emitDecay(LoopCode &code, Value gate) {
  OpBuilder &b = code.b;
  nn::S wide(b, code.loc,
             arith::ExtFOp::create(b, code.loc, b.getF64Type(), gate));
  return arith::TruncFOp::create(b, code.loc, b.getF32Type(), emitExp(wide));
}

Value DeltaBlock::begins(Value i) {
  Value at = position(i);
  return isNot(isLess(toIndex(loadOne(all.starts, {batch, at})), at));
}

//===----------------------------------------------------------------------===//
// Decays
//===----------------------------------------------------------------------===//

void DeltaBlock::openChunk(Value at) {
  first = at;
  rows = min(sub(index(shape.positions), first), kChunk);
  when(isLess(thread, kChunk), [&] {
    Values place{batch, position(thread), head};
    Value decay = emitDecay(*this, loadOne(all.gates, place));
    if (all.starts)
      decay = select(begins(thread), f32(0), decay);
    Value beta = hasBeta() ? loadOne(all.beta, place) : f32(1);
    storeOne(decay, numbers, {index(Decay), thread});
    storeOne(select(isRow(thread), beta, f32(0)), numbers,
             {index(Beta), thread});
  });
  barrier();
  fillDecays(/*withNumbers=*/true);
  barrier();
}

void DeltaBlock::fillDecays(bool withNumbers) {
  // A thread has a column of D, which is a running product, as E is.
  when(isLess(thread, kChunk), [&] {
    Value last =
        loop(index(0), index(kChunk), 1, {f32(0)},
             [&](Value i, ArrayRef<Value> before) -> Values {
               Value next = select(isEqual(i, thread), f32(1),
                                   mulf(before[0], number(Decay, i)));
               next = select(isLess(i, thread), f32(0), next);
               storeOne(select(isRow(i), next, f32(0)), square, {i, thread});
               return {select(isRow(i), next, before[0])};
             })[0];
    if (withNumbers)
      storeOne(last, numbers, {index(F), thread});
  });
  if (!withNumbers)
    return;
  when(isEqual(thread, kChunk), [&] {
    loop(index(0), index(kChunk), 1, {f32(1)},
         [&](Value i, ArrayRef<Value> before) -> Values {
           Value next = mulf(number(Decay, i), before[0]);
           storeOne(select(isRow(i), next, f32(0)), numbers, {index(E), i});
           return {next};
         });
  });
}

//===----------------------------------------------------------------------===//
// Rows in memory
//===----------------------------------------------------------------------===//

Values DeltaBlock::load(Value view, ValueRange row, Value column, int64_t count,
                        bool isInside) {
  auto type = cast<MemRefType>(view.getType());
  const int64_t width = type.getShape().back();
  Values place(row), result;
  if (alignedElements(view, count) == count) {
    place.push_back(isInside ? column : min(column, width - count));
    auto vector = vector::LoadOp::create(
        b, loc, VectorType::get({count}, type.getElementType()), view, place);
    vector.setAlignment(4 * count);
    for (int64_t e = 0; e < count; ++e)
      result.push_back(lane(vector, e));
  } else {
    isInside = width % count == 0 && isInside;
    place.emplace_back();
    for (int64_t e = 0; e < count; ++e) {
      place.back() = isInside ? add(column, e) : min(add(column, e), width - 1);
      result.push_back(loadOne(view, place));
    }
  }
  if (!isInside)
    for (auto [e, value] : llvm::enumerate(result))
      value = select(isLess(add(column, int64_t(e)), width), value, f32(0));
  return result;
}

void DeltaBlock::store(ArrayRef<Value> values, Value view, ValueRange row,
                       Value column) {
  const int64_t count = int64_t(values.size()),
                width = cast<MemRefType>(view.getType()).getShape().back();
  Values place(row);
  place.push_back(column);
  if (alignedElements(view, count) == count)
    return when(isLess(column, width), [&] {
      auto store =
          vector::StoreOp::create(b, loc, vectorOf(values), view, place);
      store.setAlignment(4 * count);
    });
  for (int64_t e = 0; e < count; ++e) {
    place.back() = add(column, e);
    when(isLess(place.back(), width),
         [&] { storeOne(values[size_t(e)], view, place); });
  }
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Values DeltaBlock::rowsAt(Row row, Value n) {
  Values factors;
  for (int64_t r = 0; r < kRows; ++r)
    factors.append(row(ownRow(r), n));
  return factors;
}

Values DeltaBlock::columnsAt(Row row, Value n, int64_t count) {
  Values factors;
  for (int64_t c = 0; c < count; ++c)
    factors.append(row(ownColumn(c), n));
  return factors;
}

Values DeltaBlock::rowsBelow(Value n, int64_t step,
                             llvm::function_ref<Values(Value)> row) {
  SmallVector<Values> loaded;
  for (int64_t e = 0; e < step; ++e)
    loaded.push_back(row(add(n, e)));
  Values factors;
  for (size_t c = 0; c < loaded[0].size(); ++c)
    for (const Values &one : loaded)
      factors.push_back(one[c]);
  return factors;
}

static Values lanesOf(LoopCode &code, Value vector) {
  Values lanes;
  for (int64_t e = 0; e < cast<VectorType>(vector.getType()).getDimSize(0); ++e)
    lanes.push_back(code.lane(vector, e));
  return lanes;
}

Values DeltaBlock::squareRows(Value of, Value n) {
  return rowsAt(
      [&](Value i, Value at) { return lanesOf(*this, loadShared(of, i, at)); },
      n);
}

Values DeltaBlock::transposedRows(Value of, Value n) {
  return lanesOf(*this, loadShared(of, n, ownRow(0)));
}

Values DeltaBlock::addProducts(Value count, int64_t step, ArrayRef<Value> sums,
                               llvm::function_ref<Values(Value)> left,
                               llvm::function_ref<Values(Value)> right) {
  return loop(index(0), count, step, sums,
              [&](Value n, ArrayRef<Value> carried) {
                Values next(carried), l = left(n), r = right(n);
                const size_t across = next.size() / kRows, depth = size_t(step);
                for (size_t e = 0; e < depth; ++e)
                  for (size_t i = 0; i < next.size(); ++i)
                    next[i] = fma(l[i / across * depth + e],
                                  r[i % across * depth + e], next[i]);
                return next;
              });
}

Values DeltaBlock::squareProducts(Row left, Row right, int64_t width) {
  constexpr int64_t kColumns = kChunk / kAcross;
  return addProducts(
      index(width), kQuad, zeros(kColumns),
      [&](Value n) { return rowsAt(left, n); },
      [&](Value n) { return columnsAt(right, n, kColumns); });
}

void DeltaBlock::overSquare(
    llvm::function_ref<void(size_t, Value, Value)> body) {
  constexpr int64_t kColumns = kChunk / kAcross;
  for (int64_t i = 0; i < kRows * kColumns; ++i)
    body(size_t(i), ownRow(i / kColumns), ownColumn(i % kColumns));
}

void DeltaBlock::formA() {
  auto key = [&](Value i, Value n) { return loadKey(i, n); };
  Values products = squareProducts(key, key, shape.keyWidth);
  overSquare([&](size_t p, Value i, Value j) {
    Value a = mulf(number(Beta, i), mulf(products[p], loadOne(square, {i, j})));
    storeOne(select(isLess(j, i), a, f32(0)), square, {i, j});
  });
}

void DeltaBlock::formP() {
  Values products = squareProducts(
      [&](Value i, Value n) { return loadQuery(i, n); },
      [&](Value j, Value n) { return loadKey(j, n); }, shape.keyWidth);
  overSquare([&](size_t p, Value i, Value j) {
    Value product = mulf(products[p], loadOne(square, {i, j}));
    storeOne(select(isLess(i, j), f32(0), product), square, {i, j});
  });
}
