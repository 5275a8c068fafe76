//===- AttentionBackward.cpp - Adjoints of attention by blocks of threads -===//
//
// Two launches, because sums over queries and sums over keys lie in different
// blocks.  Each computes S and D, and has up to 128 columns of its results:
//
//   keys     48 keys: for all query heads, and tiles of queries that see the
//            keys, P and dS; dV += P dO; dK += dS Q'
//   queries  tiles of queries: for panels of keys, dS; dQ += dS^T K
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/gpu/attention/AttentionBackward.h"

using namespace mlir;
using namespace mlir::zero;

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

BackwardCode::Panel BackwardCode::computePanel(Value firstKey, Value end,
                                               ArrayRef<Value> lse) {
  Value count = c.min(c.sub(end, firstKey), kTile);
  Panel panel;
  panel.p = c.products(ofHead(all.q), factor, all.k, firstKey, count);
  c.capScores(panel.p, &panel.slopes);
  Values isSeen = c.seen(firstKey, end);
  for (auto [i, p] : llvm::enumerate(panel.p))
    p = c.select(isSeen[i], c.exp2(c.subf(p, lse[i / kKeys])), c.f32(0));
  panel.d = c.products(ofHead(all.grad), std::nullopt, all.v, firstKey, count);
  c.drop(panel.d, ofHead(all.q).head, firstKey);
  return panel;
}

Values BackwardCode::adjoints(const Panel &panel, ArrayRef<Value> delta) {
  Values result;
  for (int64_t i = 0; i < kRows * kKeys; ++i) {
    Value d = c.mulf(panel.p[i], c.subf(panel.d[i], delta[i / kKeys]));
    result.push_back(panel.slopes.empty() ? d : c.mulf(d, panel.slopes[i]));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Values of queries
//===----------------------------------------------------------------------===//

Values BackwardCode::ofQueries(llvm::function_ref<Value(Value query)> load) {
  Values result;
  for (Value own : c.ownQueries())
    result.push_back(load(c.add(c.firstQuery, c.min(own, c.sub(c.rows, 1)))));
  return result;
}

Values BackwardCode::loadLses() {
  return ofQueries([&](Value query) {
    return c.mulf(statistic(all.lse, query), c.f32(::zrt::kLog2E));
  });
}

Values BackwardCode::loadDeltas() {
  return ofQueries([&](Value query) { return statistic(all.delta, query); });
}

//===----------------------------------------------------------------------===//
// dK and dV
//===----------------------------------------------------------------------===//

Values BackwardCode::overQueries(
    Value firstKey, ArrayRef<Value> carried,
    llvm::function_ref<Values(Value, ArrayRef<Value>)> body) {
  // Blocks of queries from `low` to before `high`, the last first.
  auto [low, high] = c.queriesThatSee(firstKey, kTile, shape.queryBlock);
  return c.loop(c.index(0), c.index(shape.headsPerKey()), 1, carried,
                [&, high = high, count = c.sub(high, low)](
                    Value number, ArrayRef<Value> ofHeads) {
                  head = number;
                  return c.loop(c.index(0), count, 1, ofHeads,
                                [&](Value i, ArrayRef<Value> sums) {
                                  Value tile = c.sub(c.sub(high, i), 1);
                                  return body(c.mul(tile, shape.queryBlock),
                                              sums);
                                });
                });
}

/// `sums` are those of dV, then those of dK.
Values BackwardCode::addTile(Value firstKey, Value column,
                             ArrayRef<Value> sums) {
  Values lse = loadLses(), delta = loadDeltas();
  Panel panel = computePanel(firstKey, c.index(shape.keys), lse);
  Values adjoint = adjoints(panel, delta), result;
  c.drop(panel.p, ofHead(all.q).head, firstKey);
  const size_t half = sums.size() / 2;
  // Rows of dO lie in their tile already if it has all of their columns.
  auto addColumns = [&](ArrayRef<Value> before, HeadRows rows,
                        std::optional<float> scale, bool areThere) {
    for (int64_t i = 0; i < shape.held; ++i) {
      if (!areThere)
        c.copyQueries(rows, c.columnOf(column, i), scale);
      c.barrier();
      result.append(c.addToKeys(c.sumsOf(before, i)));
      c.barrier();
    }
  };
  c.storeScores(panel.p, c.scoreTile);
  addColumns(sums.take_front(half), ofHead(all.grad), std::nullopt,
             shape.chunks == 1);
  c.storeScores(adjoint, c.scoreTile);
  addColumns(sums.drop_front(half), ofHead(all.q), factor, false);
  return result;
}

void BackwardCode::emitKeys() {
  auto [number, column] = c.splitPart();
  Value firstKey = c.mul(number, kTile);
  const float factors[] = {1, ::zrt::kLn2}; // of dV and dK
  Values zeros = c.zeroSums(2 * kKeyRows);
  const size_t half = zeros.size() / 2;
  Values sums =
      overQueries(firstKey, zeros, [&](Value first, ArrayRef<Value> carried) {
        c.setQueries(first);
        auto add = [&]() -> Values {
          if (!shape.addsToKeys)
            return addTile(firstKey, column, carried);
          Values result = addTile(firstKey, column, zeros);
          for (auto [i, sum] : llvm::enumerate(result))
            sum = c.fma(c.spread(c.f32(factors[i / half]), 4), sum, carried[i]);
          return result;
        };
        if (!c.hasDocuments())
          return add();
        // Documents may hide all of the keys.
        Value isSeen = c.isLess(c.leastKey, c.add(firstKey, kTile));
        return c.ifThen(isSeen, carried, add);
      });
  for (auto [i, to] : {std::pair(0, all.dv), std::pair(1, all.dk)}) {
    Values factor(kKeyRows, c.f32(shape.addsToKeys ? 1 : factors[i]));
    ArrayRef<Value> all = ArrayRef<Value>(sums).slice(size_t(i) * half, half);
    for (int64_t chunk = 0; chunk < shape.held; ++chunk)
      c.putRows(c.sumsOf(all, chunk), factor, to, firstKey,
                c.sub(c.index(shape.keys), firstKey), c.ownKeys(),
                c.columnOf(column, chunk));
  }
}

//===----------------------------------------------------------------------===//
// dQ
//===----------------------------------------------------------------------===//

void BackwardCode::emitQueries() {
  const int64_t tiles = shape.queryTiles();
  auto [number, column] = c.splitPart();
  head = c.div(number, tiles);
  Value tile = c.sub(c.index(tiles - 1), c.rem(number, tiles));
  c.setQueries(c.mul(tile, shape.queryBlock));
  Values lse = loadLses(), delta = loadDeltas();
  auto addPanel = [&](Value firstKey, Value end, ArrayRef<Value> sums) {
    Panel panel = computePanel(firstKey, end, lse);
    c.storeScores(adjoints(panel, delta), c.scoreTile);
    Value count = c.min(c.sub(end, firstKey), kTile);
    Values result;
    for (int64_t i = 0; i < shape.held; ++i) {
      c.copyKeys(all.k, firstKey, count, c.columnOf(column, i));
      c.barrier();
      result.append(c.addToQueries(c.sumsOf(sums, i)));
      c.barrier();
    }
    return result;
  };
  Values sums = c.overKeyBlocks(c.zeroSums(kRows),
                                [&](Value start, ArrayRef<Value> carried) {
                                  return c.overPanels(start, carried, addPanel);
                                });
  Values factors(kRows, c.f32(shape.scale));
  for (int64_t i = 0; i < shape.held; ++i)
    c.putRows(c.sumsOf(sums, i), factors, ofHead(all.dq), c.firstQuery, c.rows,
              c.ownQueries(), c.columnOf(column, i));
}

void zero::emitBackwardBlock(AttentionCode &code, const BackwardOperands &all,
                             BackwardLaunch launch) {
  emitLaunch(BackwardCode(code, all), launch);
}

int64_t zero::countBackwardParts(const AttentionShape &shape,
                                 BackwardLaunch launch) {
  const int64_t blocks =
      launch == BackwardLaunch::Keys
          ? llvm::divideCeil(shape.keys, AttentionCode::kTileKeys)
          : shape.queryTiles() * shape.headsPerKey();
  return blocks * shape.columnParts();
}
