//===- AttentionForward.cpp - softmax(Q K^T) V by blocks of threads -------===//
//
// A part is a tile of queries and up to 128 columns of the result.  The last
// queries come first, because they see most keys.  For each block of keys
// (usually there is one):
//
//   for panels of keys        S = K Q'^T; m = the largest of m and S
//   sums, O *= 2^(old m - m)  where there are several blocks
//   for panels of keys        S once more; P = 2^(S - m); sums += P; O += P^T V
//
// S is computed twice, because as on a CPU the largest of all scores is needed
// before any exponential.  A CPU holds all scores in between.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/gpu/attention/Attention.h"
#include "passes/codegen/gpu/attention/AttentionLaunches.h"

#include "numerics/Polynomials.h"
#include "passes/codegen/gpu/threads/Shuffle.h"
#include <limits>

using namespace mlir;
using namespace mlir::zero;

namespace {

class Forward {
public:
  Forward(AttentionCode &code, const ForwardOperands &all)
      : c(code), shape(code.shape), all(all),
        factor(shape.scale * ::zrt::kLog2E) {}

  void emit();

private:
  AttentionCode &c;
  const AttentionShape &shape;
  const ForwardOperands &all;
  const float factor;
  static constexpr int64_t kRows = AttentionCode::kRows,
                           kKeys = AttentionCode::kKeys;
  /// Whether rows of Q stay in their tile.
  bool isHeld() const { return shape.chunks == 1; }

  /// Capped scores of a panel.
  Values scores(Value firstKey, Value end) {
    Values result = c.products(all.q, factor, all.k, firstKey,
                               c.min(c.sub(end, firstKey), kTile), isHeld());
    c.capScores(result, nullptr);
    return result;
  }
  static constexpr int64_t kTile = AttentionCode::kTileKeys;

  /// The largest score of each of the thread's queries in the block of keys at
  /// `start`, or `most` if that is larger.
  Values findLargest(Value start, ArrayRef<Value> most);
  /// Adds a panel to (sum of a row, O...).
  Values addPanel(Value firstKey, Value end, ArrayRef<Value> most,
                  ArrayRef<Value> sums, Value column);
  /// The sum of the exponentials of the query with number thread % 64.
  Value sumOfRow();
  Value ownRow() { return c.rem(c.thread, AttentionCode::kTileQueries); }
};

} // namespace

Values Forward::findLargest(Value start, ArrayRef<Value> most) {
  Values largest = c.overPanels(
      start, most, [&](Value firstKey, Value end, ArrayRef<Value> carried) {
        Values s = scores(firstKey, end), isSeen = c.seen(firstKey, end),
               result(carried);
        for (int64_t r = 0; r < kRows; ++r)
          for (int64_t k = 0; k < kKeys; ++k) {
            Value hidden = c.f32(-std::numeric_limits<float>::infinity());
            Value score =
                c.select(isSeen[r * kKeys + k], s[r * kKeys + k], hidden);
            result[r] = c.larger(score, result[r]);
          }
        return result;
      });
  // The eight threads of a row lie side by side in a half-warp of 16.
  Value lane = c.rem(c.thread, 16);
  for (Value &mine : largest)
    for (int64_t apart = 1; apart < 8; apart *= 2)
      mine = c.larger(shuffleXor(c.b, c.loc, mine, lane, apart), mine);
  return largest;
}

Value Forward::sumOfRow() {
  Values zeros(4, c.f32(0));
  Value row = ownRow();
  Values chains = c.loop(c.index(0), c.index(kTile), 4, zeros,
                         [&](Value key, ArrayRef<Value> carried) {
                           Values result(carried);
                           for (int64_t i = 0; i < 4; ++i) {
                             Value one =
                                 c.loadOne(c.scoreTile, {c.add(key, i), row});
                             result[i] = c.addf(result[i], one);
                           }
                           return result;
                         });
  return c.addf(c.addf(chains[0], chains[1]), c.addf(chains[2], chains[3]));
}

Values Forward::addPanel(Value firstKey, Value end, ArrayRef<Value> most,
                         ArrayRef<Value> sums, Value column) {
  Values p = scores(firstKey, end), isSeen = c.seen(firstKey, end);
  for (auto [i, one] : llvm::enumerate(p))
    one = c.select(isSeen[i], c.exp2(c.subf(one, most[i / kKeys])), c.f32(0));
  c.storeScores(p, c.scoreTile);
  Value sum;
  auto addRow = [&] { sum = c.addf(sums[0], sumOfRow()); };
  if (c.drops()) {
    c.barrier();
    addRow();
    c.barrier();
    c.drop(p, c.head, firstKey);
    c.storeScores(p, c.scoreTile);
  }
  Values result;
  for (int64_t i = 0; i < shape.held; ++i) {
    c.copyKeys(all.v, firstKey, c.min(c.sub(end, firstKey), kTile),
               c.columnOf(column, i));
    c.barrier();
    if (!sum)
      addRow();
    if (i == 0)
      result.push_back(sum);
    result.append(c.addToQueries(c.sumsOf(sums.drop_front(), i)));
    c.barrier();
  }
  return result;
}

void Forward::emit() {
  const int64_t tiles = shape.queryTiles();
  auto [tile, column] = c.splitPart();
  c.setQueries(c.mul(c.sub(c.index(tiles - 1), tile), shape.queryBlock));
  if (isHeld())
    c.copyQueries(all.q, c.index(0), factor);

  Value least = c.f32(-std::numeric_limits<float>::max());
  Values state(kRows, least);
  state.push_back(c.f32(0));
  state.append(c.zeroSums(kRows));
  state = c.overKeyBlocks(state, [&](Value start, ArrayRef<Value> carried) {
    ArrayRef<Value> before = carried.take_front(kRows);
    Values sums(carried.drop_front(kRows)), most = findLargest(start, before);
    if (!shape.oneKeyBlock()) {
      for (int64_t r = 0; r < kRows; ++r) {
        Value scale = c.exp2(c.subf(before[r], most[r]));
        Value wide = c.spread(scale, 4);
        const int64_t vectors = c.columnVectors();
        for (int64_t i = 0; i < shape.held * vectors; ++i) {
          Value &sum =
              sums[1 + (i / vectors * kRows + r) * vectors + i % vectors];
          sum = c.mulf(sum, wide);
        }
        Value isFirst = c.isLess(c.x, 1);
        c.when(isFirst, [&] { c.setNumber(c.ownQueries()[r], scale); });
      }
      c.barrier();
      sums[0] = c.mulf(sums[0], c.numberAt(ownRow()));
    }
    sums = c.overPanels(start, sums,
                        [&](Value firstKey, Value end, ArrayRef<Value> inner) {
                          return addPanel(firstKey, end, most, inner, column);
                        });
    Values result(most);
    result.append(sums);
    return result;
  });

  // Passes the sums of rows to the threads that have the rows.
  c.barrier();
  c.when(c.isLess(c.thread, AttentionCode::kTileQueries),
         [&] { c.setNumber(c.thread, state[kRows]); });
  c.barrier();
  Values own = c.ownQueries(), inverse;
  for (int64_t r = 0; r < kRows; ++r) {
    Value sum = c.numberAt(own[r]);
    inverse.push_back(c.divf(c.f32(1), sum));
    if (!all.lse)
      continue;
    Value isMine = c.isLess(c.x, 1);
    if (shape.columnParts() > 1)
      isMine = c.both(isMine, c.isLess(column, 1));
    c.when(c.both(isMine, c.isLess(own[r], c.rows)), [&] {
      c.storeOne(c.logOfSum(state[r], sum), all.lse,
                 {c.batch, c.head, c.add(c.firstQuery, own[r])});
    });
  }
  ArrayRef<Value> sums = ArrayRef<Value>(state).drop_front(kRows + 1);
  for (int64_t i = 0; i < shape.held; ++i)
    c.putRows(c.sumsOf(sums, i), inverse, all.out, c.firstQuery, c.rows, own,
              c.columnOf(column, i));
}

void zero::emitForwardBlock(AttentionCode &code, const ForwardOperands &all) {
  Forward(code, all).emit();
}

int64_t zero::countForwardParts(const AttentionShape &shape) {
  return shape.queryTiles() * shape.columnParts();
}
