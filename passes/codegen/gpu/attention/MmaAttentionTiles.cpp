//===- MmaAttentionTiles.cpp - Tiles of 16 bits in shared memory ----------===//
//
// Rows at multiples of 16 bytes are copied by cp.async; others, such as those
// of heads of odd widths, element by element.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/gpu/attention/MmaAttention.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/codegen/gpu/threads/Warp.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

constexpr int64_t kThreads = 128,
                  kPiece = 8; // elements that are copied at once

struct Strides {
  SmallVector<int64_t> of;
  int64_t offset = 0;
};

/// Nothing if strides are not known, or if the elements of a row are apart.
std::optional<Strides> stridesOf(Value view) {
  Strides strides;
  auto type = cast<MemRefType>(view.getType());
  if (failed(type.getStridesAndOffset(strides.of, strides.offset)) ||
      strides.of.back() != 1 || ShapedType::isDynamic(strides.offset) ||
      llvm::is_contained(strides.of, ShapedType::kDynamic))
    return std::nullopt;
  return strides;
}

} // namespace

/// Whether rows begin at multiples of `bytes`.  Buffers begin at multiples of
/// 16.
bool TensorCode::isAligned(HeadRows rows, int64_t bytes) const {
  std::optional<Strides> strides = stridesOf(rows.view);
  if (!strides)
    return false;
  const int64_t elements = bytes / 2;
  bool result = shape.width % elements == 0 && strides->offset % elements == 0;
  for (int64_t stride : ArrayRef(strides->of).drop_back())
    result &= stride % elements == 0;
  return result;
}

/// Copies pieces of 16 bytes.  If the threads copy whole rows together, the
/// pieces of a thread are a fixed number of rows apart, so that one address
/// serves all.
void TensorCode::copyPieces(HeadRows from, Value first, Value count,
                            int64_t rows, Value at) {
  const Strides strides = *stridesOf(from.view);
  const int64_t perRow = sizes.columns / kPiece, total = rows * perRow;
  Value base =
            memref::ExtractAlignedPointerAsIndexOp::create(b, loc, from.view),
        start = add(mul(batch, strides.of[0]), mul(from.head, strides.of[2]));
  start = add(start, add(mul(first, strides.of[1]), strides.offset));
  base = add(base, mul(start, 2));
  auto copyPiece = [&](Value piece, int64_t more) {
    Value row = div(piece, perRow), column = mul(rem(piece, perRow), kPiece),
          bytes = i32(16);
    auto only = [&](Value isThere) { bytes = select(isThere, bytes, i32(0)); };
    if (count)
      only(isLess(toI32(row), sub(toI32(count), more)));
    if (shape.width < sizes.columns)
      only(isLess(column, shape.width));
    Value place = add(mul(row, sizes.rowBytes()), mul(column, 2)),
          source = add(mul(row, strides.of[1] * 2), mul(column, 2));
    source = add(add(base, source), more * strides.of[1] * 2);
    startCopy(b, loc, add(at, toI32(place)), more * sizes.rowBytes(), source,
              bytes);
  };
  const bool hasWholeRows = kThreads % perRow == 0;
  for (int64_t done = 0; done < total; done += kThreads) {
    Value piece = hasWholeRows ? thread : add(thread, done);
    auto copy = [&] { copyPiece(piece, hasWholeRows ? done / perRow : 0); };
    if (done + kThreads <= total)
      copy();
    else
      when(isLess(thread, total - done), copy);
  }
}

void TensorCode::copyRows(HeadRows from, Value first, Value count, int64_t rows,
                          Value at) {
  if (isAligned(from, 16))
    return copyPieces(from, first, count, rows, at);
  if (!count)
    count = index(rows);
  auto type = MemRefType::get({rows, sizes.rowBytes() / 2}, element);
  Value tile = viewShared(type, toIndex(at));
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  const int64_t total = rows * sizes.columns;
  loop(thread, index(total), kThreads, {}, [&](Value i, ArrayRef<Value>) {
    Value row = div(i, sizes.columns), column = rem(i, sizes.columns);
    Value isThere = both(isLess(row, count), isLess(column, shape.width));
    // Clamps places beyond the edge; their values are not used.
    Value source = add(first, max(min(row, sub(count, 1)), 0));
    Value read = loadOne(
        from.view, {batch, source, from.head, min(column, shape.width - 1)});
    storeOne(select(isThere, read, zero), tile, {row, column});
    return Values();
  });
}

void TensorCode::finishCopies() {
  callWarp(b, loc, kWaitForCopies, {});
  barrier();
}

Fragments TensorCode::loadRows(HeadRows from, Value first, Value count,
                               int64_t at) {
  copyRows(from, first, count, sizes.blockRows(), i32(at));
  finishCopies();
  Value own =
      add(mul(div(warp, sizes.sharers), 16 * sizes.rowTiles * sizes.rowBytes()),
          at);
  Fragments result{{}, sizes.ownColumns() / 16};
  for (int64_t tile = 0; tile < sizes.rowTiles; ++tile)
    for (int64_t k = 0; k < result.depth; ++k)
      result.all.push_back(load(own, 16 * tile, 16 * k, false));
  barrier();
  return result;
}

Values TensorCode::overTiles(
    Value begin, Value end, int64_t step, ArrayRef<Value> carried,
    llvm::function_ref<void(Value, Value)> copy,
    llvm::function_ref<Values(Value, Value, ArrayRef<Value>)> body) {
  when(isLess(begin, end), [&] { copy(begin, i32(0)); });
  Values all{i32(0)};
  all.append(carried.begin(), carried.end());
  all = loop(begin, end, step, all, [&](Value position, ArrayRef<Value> now) {
    finishCopies();
    // The place of the previous tile.
    Value other = sub(i32(2 * sizes.tileBytes()), now[0]),
          next = add(position, step);
    when(isLess(next, end), [&] { copy(next, other); });
    Values result{other};
    result.append(body(position, now[0], now.drop_front()));
    return result;
  });
  return Values(ArrayRef<Value>(all).drop_front());
}

Values TensorCode::overKeys(
    HeadRows k, HeadRows v, int64_t columns, ArrayRef<Value> carried,
    llvm::function_ref<Values(Value, Value, int64_t, ArrayRef<Value>)> body) {
  const int64_t step = sizes.tileRows;
  Value begin = mul(div(leastKey, step), step);
  return overTiles(
      begin, endKey, step, carried,
      [&](Value key, Value tile) {
        Value count = countOf(shape.keys, key);
        copyRows(k, key, count, step, tile);
        copyRows(v, key, count, step, add(tile, sizes.tileBytes()));
      },
      [&](Value key, Value tile, ArrayRef<Value> now) {
        Values result(now);
        for (int64_t row = 0; row < step; row += columns)
          result = body(key, tile, row, result);
        return result;
      });
}

Fragment TensorCode::load(Value tile, int64_t row, int64_t column,
                          bool isTransposed) {
  Value more = i32(row * sizes.rowBytes() + column * 2);
  return Fragment(callWarp(b, loc, isTransposed ? kTransposed : kFragment,
                           {add(tile, fragmentPlace), more}));
}

void TensorCode::putRows(ArrayRef<Value> sums, ArrayRef<Value> factors,
                         HeadRows to, Value first, Value count) {
  const int64_t columnTiles = sizes.ownColumns() / 8,
                others = sizes.columns - sizes.ownColumns();
  Value own = share ? add(pair, mul(share, sizes.ownColumns())) : pair;
  const bool isPaired = isAligned(to, 4);
  auto pairType = VectorType::get({2}, element);
  for (int64_t r = 0; r < ownRows(); ++r) {
    Value row = rowOf(r);
    when(isLess(row, count), [&] {
      Value place = add(first, row);
      auto put = [&](int64_t tile) {
        const Value *x = &sums[(r / 2 * columnTiles + tile) * 4 + r % 2 * 2];
        Value word =
                  roundedWord(mulf(x[0], factors[r]), mulf(x[1], factors[r])),
              column = add(toIndex(own), 8 * tile);
        const bool isWhole = others + 8 * tile + 8 <= shape.width;
        auto inside = [&](Value at, llvm::function_ref<void()> store) {
          isWhole ? store() : when(isLess(at, shape.width), store);
        };
        if (isPaired)
          return inside(column, [&] {
            Value both =
                vector::BitCastOp::create(b, loc, pairType, vectorOf({word}));
            auto store = vector::StoreOp::create(
                b, loc, both, to.view,
                ValueRange{batch, place, to.head, column});
            store.setAlignment(4);
          });
        for (int64_t i = 0; i < 2; ++i)
          inside(add(column, i), [&] {
            Value half = arith::ShRUIOp::create(b, loc, word, i32(16 * i));
            half = arith::TruncIOp::create(b, loc, b.getI16Type(), half);
            storeOne(bitcast(element, half), to.view,
                     {batch, place, to.head, add(column, i)});
          });
      };
      for (int64_t tile = 0; tile < columnTiles; ++tile)
        put(tile);
    });
  }
}
