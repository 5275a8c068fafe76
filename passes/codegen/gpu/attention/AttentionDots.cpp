//===- AttentionDots.cpp - Sums of P D of each query ----------------------===//
//
// The first launch of the backward computes the sums and stores them in the
// first four bytes of each row of dQ, where the other launches read them.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/gpu/attention/AttentionBackward.h"

using namespace mlir;
using namespace mlir::zero;

Value BackwardCode::addDots(Value firstKey, Value sum) {
  Value row = c.rem(c.thread, AttentionCode::kTileQueries);
  // Keys of the panel that the first of the row's 16 queries sees.
  Value seen = c.index(kTile);
  if (shape.causal) {
    Value query = c.add(c.firstQuery, c.mul(c.div(row, 16), 16)),
          last = c.add(query, shape.ahead() + 1);
    seen = c.max(c.min(c.sub(last, firstKey), kTile), 0);
  }
  auto addFrom = [&](Value begin, Value end, ArrayRef<Value> chains) {
    return c.loop(
        begin, end, 4, chains, [&](Value key, ArrayRef<Value> carried) {
          Values result(carried);
          for (int64_t i = 0; i < 4; ++i) {
            Value at = c.add(key, i), place = c.min(at, kTile - 1);
            Value p = c.loadOne(c.scoreTile, {place, row});
            p = c.select(c.isLess(at, end), p, c.f32(0));
            result[i] =
                c.fma(p, c.loadOne(c.otherScores, {place, row}), result[i]);
          }
          return result;
        });
  };
  Values chains = addFrom(c.index(0), seen, Values(4, c.f32(0)));
  if (shape.causal)
    chains = addFrom(seen, c.index(kTile), chains);
  return c.addf(
      sum, c.addf(c.addf(chains[0], chains[1]), c.addf(chains[2], chains[3])));
}

void BackwardCode::emitDots() {
  openQueries();
  Values lse = loadLses();
  Value dots = c.overKeyBlocks({c.f32(0)}, [&](Value start,
                                               ArrayRef<Value> carried) {
    return c.overPanels(start, carried,
                        [&](Value firstKey, Value end, ArrayRef<Value> sum) {
                          Panel panel = computePanel(firstKey, end, lse);
                          c.storeScores(panel.p, c.scoreTile);
                          c.storeScores(panel.d, c.otherScores);
                          c.barrier();
                          Value next = addDots(firstKey, sum[0]);
                          c.barrier();
                          return Values{next};
                        });
  })[0];
  c.when(c.isLess(c.thread, c.rows), [&] {
    c.storeNumber(dots, ofHead(all.dq), c.add(c.firstQuery, c.thread));
  });
}
