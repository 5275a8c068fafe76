//===- AttentionDots.cpp - Sums of P D of each query ----------------------===//
//
// The first launch of the backward computes them, and the others read them where it
// left them: in the first four bytes of each row of dQ.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/gpu/AttentionBackward.h"

using namespace mlir;
using namespace mlir::zero;

/// A number of 32 bits in elements of 16.
Values BackwardCode::loadDots() {
  Type element = cast<MemRefType>(all.dq.view.getType()).getElementType(),
       i16 = c.b.getI16Type(), i32 = c.b.getI32Type();
  HeadRows dq = ofHead(all.dq);
  Values result;
  for (Value own : c.ownQueries()) {
    Value query = c.add(c.firstQuery, c.least(own, c.sub(c.rows, 1)));
    auto load = [&](int64_t i) -> Value {
      return memref::LoadOp::create(
          c.b, c.loc, dq.view, ValueRange{c.batch, query, dq.head, c.index(i)});
    };
    if (element.isF32()) {
      result.push_back(load(0));
      continue;
    }
    auto half = [&](int64_t i) -> Value {
      return arith::ExtUIOp::create(c.b, c.loc, i32, c.bitcast(i16, load(i)));
    };
    Value high = arith::ShLIOp::create(c.b, c.loc, half(1), c.i32(16)),
          word = arith::OrIOp::create(c.b, c.loc, half(0), high);
    result.push_back(c.bitcast(c.b.getF32Type(), word));
  }
  return result;
}

void BackwardCode::storeDots(Value row, Value dots) {
  Type element = cast<MemRefType>(all.dq.view.getType()).getElementType(),
       i16 = c.b.getI16Type();
  HeadRows dq = ofHead(all.dq);
  auto store = [&](Value value, int64_t i) {
    memref::StoreOp::create(
        c.b, c.loc, value, dq.view,
        ValueRange{c.batch, c.add(c.firstQuery, row), dq.head, c.index(i)});
  };
  if (element.isF32())
    return store(dots, 0);
  Value word = c.bitcast(c.b.getI32Type(), dots);
  for (int64_t i = 0; i < 2; ++i) {
    Value half = arith::ShRUIOp::create(c.b, c.loc, word, c.i32(16 * i));
    half = arith::TruncIOp::create(c.b, c.loc, i16, half);
    store(c.bitcast(element, half), i);
  }
}

Value BackwardCode::addDots(Value firstKey, Value sum) {
  Value row = c.rem(c.thread, AttentionCode::kTileQueries);
  // Keys of the panel that the first of the row's 16 queries sees.
  Value seen = c.index(kTile);
  if (shape.causal) {
    Value query = c.add(c.firstQuery, c.mul(c.div(row, 16), 16)),
          last = c.add(query, shape.ahead() + 1);
    seen = c.most(c.least(c.sub(last, firstKey), kTile), 0);
  }
  auto addFrom = [&](Value begin, Value end, ArrayRef<Value> chains) {
    return c.loop(
        begin, end, 4, chains, [&](Value key, ArrayRef<Value> carried) {
          Values result(carried);
          for (int64_t i = 0; i < 4; ++i) {
            Value at = c.add(key, i), place = c.least(at, kTile - 1);
            auto load = [&](Value tile) -> Value {
              return memref::LoadOp::create(c.b, c.loc, tile,
                                            ValueRange{place, row});
            };
            Value p = c.select(c.isLess(at, end), load(c.scoreTile), c.f32(0));
            result[i] = c.fma(p, load(c.otherScores), result[i]);
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
  Values lse = loadLse();
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
  c.when(c.isLess(c.thread, c.rows), [&] { storeDots(c.thread, dots); });
}
