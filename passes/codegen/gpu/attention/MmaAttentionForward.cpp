//===- MmaAttentionForward.cpp - softmax(Q K^T) V on tensor cores ---------===//
//
// A part is a block of queries.  The last queries come first, because they see
// most keys.  For each tile of keys and values:
//
//   S = Q K^T; m' = the largest of m and S; P = 2^(S - m')
//   sum = 2^(m - m') sum + P; O = 2^(m - m') O + P V; m = m'
//
// Sums of a row are those of P before dropout, and before it is rounded.  The
// four lanes of a row add up their parts at the end.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/gpu/attention/MmaAttention.h"

#include <limits>

using namespace mlir;
using namespace mlir::zero;

namespace {

class TensorForward {
public:
  TensorForward(TensorCode &code, const ForwardOperands &all)
      : c(code), all(all), own(code.ownRows()) {}

  void emit();

private:
  TensorCode &c;
  const ForwardOperands &all;
  const int64_t own;

  /// Keys at once, so that scores fit into registers beside O.
  int64_t pieceOfKeys() const {
    return std::min<int64_t>(32, c.sizes.tileRows);
  }
  /// Updates m, the sums and O by the keys of the tile from `firstRow` on.
  Values addPiece(const Fragments &q, Value firstKey, Value tile,
                  int64_t firstRow, ArrayRef<Value> state);
  void finish(ArrayRef<Value> state);
};

} // namespace

Values TensorForward::addPiece(const Fragments &q, Value firstKey, Value tile,
                               int64_t firstRow, ArrayRef<Value> state) {
  const int64_t columns = pieceOfKeys(), perRow = columns / 4,
                outPerRow = c.sizes.ownColumns() / 4;
  Values p = c.addMatmulTransposed(c.zeroSums(columns / 8), q, tile, firstRow,
                                   columns);
  p = c.hideKeys(c.capped(p, nullptr), c.add(firstKey, firstRow), columns);
  // The lane's part of row r: of each tile two neighbours.
  auto ofRow = [](int64_t r, int64_t i, int64_t count) {
    return (r / 2 * (count / 2) + i / 2) * 4 + r % 2 * 2 + i % 2;
  };
  Values result(state);
  Value factor = c.f32(c.factor), minusFactor = c.f32(-c.factor);
  for (int64_t r = 0; r < own; ++r) {
    Value most = state[r];
    for (int64_t i = 0; i < perRow; ++i)
      most = arith::MaxNumFOp::create(c.b, c.loc, most, p[ofRow(r, i, perRow)]);
    most = c.largestOfRow(most);
    Value minus = c.mulf(most, minusFactor),
          shrink = c.exp2OfSum(state[r], factor, minus), sum;
    for (int64_t i = 0; i < perRow; ++i) {
      Value &one = p[ofRow(r, i, perRow)];
      one = c.exp2OfSum(one, factor, minus);
      sum = i == 0 ? one : c.addf(sum, one);
    }
    result[r] = most;
    result[own + r] = c.fma(state[own + r], shrink, sum);
    for (int64_t i = 0; i < outPerRow; ++i) {
      Value &one = result[2 * own + ofRow(r, i, outPerRow)];
      one = c.mulf(one, shrink);
    }
  }
  c.drop(p, c.head, c.queries, /*areKeys=*/false, c.add(firstKey, firstRow),
         columns);
  Values out = c.addMatmul(ArrayRef<Value>(result).drop_front(2 * own),
                           c.pack(p, columns), c.add(tile, c.sizes.tileBytes()),
                           firstRow);
  result.truncate(2 * own);
  result.append(out);
  return result;
}

void TensorForward::finish(ArrayRef<Value> state) {
  Values inverse;
  for (int64_t r = 0; r < own; ++r) {
    Value sum = c.sumOfRow(state[own + r]);
    inverse.push_back(c.divf(c.f32(1), sum));
    if (!all.lse)
      continue;
    c.onRow(r, [&] {
      Value most = c.mulf(state[r], c.f32(c.factor));
      c.storeOne(c.logOfSum(most, sum), all.lse,
                 {c.batch, c.head, c.add(c.firstQuery, c.rowOf(r))});
    });
  }
  c.putRows(state.drop_front(2 * own), inverse, all.out, c.firstQuery, c.rows);
}

void TensorForward::emit() {
  const int64_t parts = countTensorParts(c.shape, c.sizes);
  c.setQueries(c.mul(c.sub(c.index(parts - 1), c.part), c.sizes.blockRows()));
  Fragments q = c.loadRows(all.q, c.firstQuery, c.rows, 0);
  // Smaller than any score, also times the factor.
  Values state(own, c.f32(-std::numeric_limits<float>::max() / 2 /
                          std::max(c.factor, 1.0f)));
  state.append(own, c.f32(0));
  state.append(c.zeroSums(c.sizes.ownColumns() / 8));
  state = c.overKeys(
      all.k, all.v, pieceOfKeys(), state,
      [&](Value key, Value tile, int64_t row, ArrayRef<Value> carried) {
        return addPiece(q, key, tile, row, carried);
      });
  finish(state);
}

void zero::emitTensorForward(TensorCode &code, const ForwardOperands &all) {
  TensorForward(code, all).emit();
}
