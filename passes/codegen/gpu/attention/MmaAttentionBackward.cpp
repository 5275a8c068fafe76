//===- MmaAttentionBackward.cpp - Adjoints of attention on tensor cores ---===//
//
// Two launches, as in AttentionBackward.cpp:
//
//   keys     blocks of keys, over tiles of Q and dO, of all query heads: P^T
//            and dP^T, whose rows are keys, so that they are fragments of the
//            products dV += P^T dO and dK += dS^T Q without a transpose;
//            dS = P (dP - delta), where the sums of dP begin at -delta, unless
//            dP has dropout
//   queries  blocks of queries, over tiles of K and V: dQ += dS K
//
// Tiles are used in pieces, so that scores fit into registers beside the sums.
// Sharers use a tile as one piece, and compute P and dS twice.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/gpu/attention/MmaAttentionBackward.h"

using namespace mlir;
using namespace mlir::zero;

//===----------------------------------------------------------------------===//
// The launch of queries
//===----------------------------------------------------------------------===//

TensorBackward::Piece TensorBackward::multiply(const Factors &factors) {
  const int64_t columns = factors.columns;
  Values zeros = c.zeroSums(columns / 8);
  Piece piece;
  piece.p = c.addMatmulTransposed(zeros, factors.ofScores, factors.tile,
                                  factors.firstRow, columns);
  if (c.share) {
    piece.d = c.addMatmulTransposed(zeros, factors.ofGrad, factors.gradTile,
                                    factors.firstRow, columns);
    c.addOther({&piece.p, &piece.d});
  }
  return piece;
}

Values TensorBackward::droppedPlus(ArrayRef<Value> sums, const Factors &factors,
                                   Values product, ArrayRef<Value> own,
                                   bool areKeys, Value firstColumn) {
  auto addTo = [&](ArrayRef<Value> before) {
    return c.addMatmulTransposed(before, factors.ofGrad, factors.gradTile,
                                 factors.firstRow, factors.columns);
  };
  if (product.empty() && !c.drops())
    return addTo(sums);
  if (product.empty())
    product = addTo(c.zeroSums(factors.columns / 8));
  c.drop(product, ofHead(all.q).head, own, areKeys, firstColumn,
         factors.columns);
  for (auto [one, sum] : llvm::zip_equal(product, sums))
    one = c.addf(one, sum);
  return product;
}

TensorBackward::Piece TensorBackward::computePiece(Value firstKey, Value tile,
                                                   int64_t firstRow,
                                                   int64_t columns) {
  const Factors factors{
      q, grad, tile, c.add(tile, c.sizes.tileBytes()), firstRow, columns};
  Values before = c.zeroSums(columns / 8);
  for (auto [i, sum] : llvm::enumerate(before))
    sum = minusDelta[rowAt(i, columns)];
  Piece piece = multiply(factors);
  piece.p = c.capped(piece.p, &piece.slopes);
  piece.p = c.hideKeys(piece.p, c.add(firstKey, firstRow), columns);
  piece.d = droppedPlus(before, factors, piece.d, c.queries, /*areKeys=*/false,
                        c.add(firstKey, firstRow));
  Value factor = c.f32(c.factor);
  for (auto [i, p] : llvm::enumerate(piece.p))
    p = c.exp2OfSum(p, factor, minusLse[rowAt(i, columns)]);
  return piece;
}

void TensorBackward::emitQueries() {
  const int64_t columns = std::min<int64_t>(c.sizes.rowTiles == 1 ? 32 : 16,
                                            c.sizes.tileRows),
                parts = countTensorParts(c.shape, c.sizes);
  head = c.div(c.part, parts);
  Value block = c.sub(c.index(parts - 1), c.rem(c.part, parts));
  c.setQueries(c.mul(block, c.sizes.blockRows()));
  q = c.loadRows(ofHead(all.q), c.firstQuery, c.rows, 0);
  grad = c.loadRows(ofHead(all.grad), c.firstQuery, c.rows,
                    c.sizes.blockRows() * c.sizes.rowBytes());
  for (Value query : c.queries) {
    minusLse.push_back(
        c.mulf(statistic(all.lse, query), c.f32(-::zrt::kLog2E)));
    minusDelta.push_back(minus(statistic(all.delta, query)));
  }
  Values sums = c.overKeys(
      all.k, all.v, columns, c.zeroSums(c.sizes.ownColumns() / 8),
      [&](Value key, Value tile, int64_t row, ArrayRef<Value> before) {
        Piece piece = computePiece(key, tile, row, columns);
        Values adjoint;
        for (size_t i = 0; i < piece.p.size(); ++i)
          adjoint.push_back(adjointOf(piece, i));
        return c.addMatmul(before, c.pack(adjoint, columns), tile, row);
      });
  c.putRows(sums, Values(c.ownRows(), c.f32(c.shape.scale)), ofHead(all.dq),
            c.firstQuery, c.rows);
}

//===----------------------------------------------------------------------===//
// The launch of keys
//===----------------------------------------------------------------------===//

/// -lse', -delta and the first key of the query with number thread % tileRows,
/// and zeros beyond the queries.
Values TensorBackward::loadNumbers(Value first) {
  Value query = c.add(first, c.rem(c.thread, c.sizes.tileRows)), last = query,
        isThere;
  if (c.shape.queries % c.sizes.tileRows != 0) {
    last = c.min(query, c.shape.queries - 1);
    isThere = c.isLess(query, c.shape.queries);
  }
  auto orZero = [&](Value x) {
    return isThere ? c.select(isThere, x, c.f32(0)) : x;
  };
  Values result = {
      orZero(c.mulf(statistic(all.lse, last), c.f32(-::zrt::kLog2E))),
      minus(orZero(statistic(all.delta, last)))};
  if (c.hasDocuments())
    result.push_back(c.bitcast(c.b.getF32Type(), c.toI32(c.firstKeyOf(last))));
  return result;
}

void TensorBackward::storeNumbers(ArrayRef<Value> own, Value tile) {
  Value view = numbersAt(tile);
  c.when(c.isLess(c.thread, c.sizes.tileRows), [&] {
    for (auto [i, number] : llvm::enumerate(own))
      c.storeOne(number, view, {c.index(int64_t(i)), c.thread});
  });
}

Value TensorBackward::numbersAt(Value tile) {
  auto type = MemRefType::get({kNumbers, c.sizes.tileRows}, c.b.getF32Type());
  // Numbers lie behind the tiles; those of the second tile behind those of the
  // first.
  Value isSecond = c.div(c.toIndex(tile), 2 * c.sizes.tileBytes()),
        at = c.add(c.mul(isSecond, numbersBytes(c.sizes)),
                   c.sizes.tilesBytes() + c.sizes.exchangeBytes());
  return c.viewShared(type, at);
}

Values TensorBackward::addPiece(Value firstKey, Value query, Value tile,
                                int64_t row, ArrayRef<Value> sums) {
  const int64_t columns = pieceOfQueries();
  Value numbers = numbersAt(tile);
  // Loads numbers of the lane's columns.
  auto numbersOf = [&](int64_t which) {
    Values result;
    for (int64_t column = 0; column < columns; column += 8) {
      Value two = c.loadShared(
          numbers, c.index(which),
          c.add(c.toIndex(c.mul(c.rem(c.inWarp, 4), 2)), row + column), 2);
      result.append({c.lane(two, 0), c.lane(two, 1)});
    }
    return result;
  };
  Values lse = numbersOf(0), ofColumns = numbersOf(1), from,
         before = c.zeroSums(columns / 8);
  if (c.hasDocuments())
    from = numbersOf(2);
  auto columnAt = [&](size_t i) {
    return int64_t(i) / 4 % (columns / 8) * 2 + int64_t(i) % 2;
  };
  for (auto [i, sum] : llvm::enumerate(before))
    sum = ofColumns[columnAt(i)];
  Value gradTile = c.add(tile, c.sizes.tileBytes());
  const Factors factors{k, v, tile, gradTile, row, columns};
  Piece piece = multiply(factors);
  piece.p = c.capped(piece.p, &piece.slopes);
  piece.p = c.hideQueries(piece.p, firstKey, c.add(query, row), columns,
                          [&](int64_t column) {
                            return c.bitcast(c.b.getI32Type(), from[column]);
                          });
  Values keys;
  for (int64_t r = 0; r < c.ownRows(); ++r)
    keys.push_back(c.add(firstKey, c.rowOf(r)));
  piece.d = droppedPlus(before, factors, piece.d, keys, /*areKeys=*/true,
                        c.add(query, row));
  Value factor = c.f32(c.factor);
  Values adjoint;
  for (auto [i, p] : llvm::enumerate(piece.p)) {
    p = c.exp2OfSum(p, factor, lse[columnAt(i)]);
    adjoint.push_back(adjointOf(piece, i));
  }
  c.drop(piece.p, ofHead(all.q).head, keys, /*areKeys=*/true, c.add(query, row),
         columns);
  const size_t half = sums.size() / 2;
  Values result = c.addMatmul(sums.take_front(half), c.pack(piece.p, columns),
                              gradTile, row);
  result.append(
      c.addMatmul(sums.drop_front(half), c.pack(adjoint, columns), tile, row));
  return result;
}

void TensorBackward::emitKeys() {
  const int64_t step = c.sizes.tileRows;
  Value firstKey = c.mul(c.part, c.sizes.blockRows()),
        count =
            c.min(c.sub(c.index(c.shape.keys), firstKey), c.sizes.blockRows());
  k = c.loadRows(all.k, firstKey, count, 0);
  v = c.loadRows(all.v, firstKey, count,
                 c.sizes.blockRows() * c.sizes.rowBytes());
  // Tiles of queries that see one of the keys, of each head.
  auto [low, high] = c.queriesThatSee(firstKey, c.sizes.blockRows(), step);
  Value perHead = c.max(c.sub(high, low), 0);
  // Opens the head of the i-th tile, and returns its first query.
  auto open = [&, low = low](Value i) {
    Value tile = i;
    head = c.index(0);
    if (c.shape.headsPerKey() > 1) {
      Value number = c.toI32(i), count = c.toI32(perHead);
      head = c.toIndex(c.div(number, count));
      tile = c.toIndex(c.rem(number, count));
    }
    return c.mul(c.add(low, tile), step);
  };
  Values sums = c.zeroSums(2 * (c.sizes.ownColumns() / 8));
  sums = c.overTiles(
      c.index(0), c.mul(perHead, c.shape.headsPerKey()), 1, sums,
      [&](Value i, Value tile) {
        Value query = open(i), left = c.countOf(c.shape.queries, query);
        c.copyRows(ofHead(all.q), query, left, step, tile);
        c.copyRows(ofHead(all.grad), query, left, step,
                   c.add(tile, c.sizes.tileBytes()));
        storeNumbers(loadNumbers(query), tile);
      },
      [&](Value i, Value tile, ArrayRef<Value> now) {
        Value query = open(i);
        Values result(now);
        for (int64_t row = 0; row < step; row += pieceOfQueries())
          result = addPiece(firstKey, query, tile, row, result);
        return result;
      });
  const size_t half = sums.size() / 2;
  c.putRows(ArrayRef<Value>(sums).take_front(half),
            Values(c.ownRows(), c.f32(1)), all.dv, firstKey, count);
  c.putRows(ArrayRef<Value>(sums).drop_front(half),
            Values(c.ownRows(), c.f32(c.shape.scale)), all.dk, firstKey, count);
}

void zero::emitTensorBackward(TensorCode &code, const BackwardOperands &all,
                              BackwardLaunch launch) {
  emitLaunch(TensorBackward(code, all), launch);
}

int64_t zero::tensorSharedBytes(const TensorSizes &sizes,
                                std::optional<BackwardLaunch> launch) {
  const bool hasNumbers = launch == BackwardLaunch::Keys;
  return sizes.tilesBytes() + sizes.exchangeBytes() +
         (hasNumbers ? 2 * TensorBackward::numbersBytes(sizes) : 0);
}
