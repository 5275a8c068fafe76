//===- MmaAttentionBackward.h - Launches of the backward --------*- C++ -*-===//
#pragma once

#include "passes/codegen/gpu/attention/MmaAttention.h"

#include "numerics/Polynomials.h"

namespace mlir::zero {

/// Emits the work of a block in one of the launches (MmaAttentionBackward.cpp).
class TensorBackward : BackwardBase<TensorCode> {
public:
  using BackwardBase::BackwardBase;

  void emitKeys();
  void emitQueries();

  /// Bytes of shared memory behind the tiles, for the launch of keys.
  static int64_t numbersBytes(const TensorSizes &sizes) {
    return kNumbers * sizes.tileRows * 4;
  }

private:
  /// Numbers of each query of a tile: -lse', -delta, and the first key that it
  /// sees.
  static constexpr int64_t kNumbers = 3;

  Value minus(Value x) { return arith::NegFOp::create(c.b, c.loc, x); }

  /// P, dP - delta, and slopes, of the warp's rows and some columns.
  struct Piece {
    Values p, d, slopes;
  };
  /// dS: P (dP - delta), times the slope.
  Value adjointOf(const Piece &piece, size_t i) {
    Value result = c.mulf(piece.p[i], piece.d[i]);
    return piece.slopes.empty() ? result : c.mulf(result, piece.slopes[i]);
  }

  /// The factors of scores and of dP: the warp's rows, and some rows of a tile
  /// and of the one behind it.
  struct Factors {
    const Fragments &ofScores, &ofGrad;
    Value tile, gradTile;
    int64_t firstRow, columns;
  };
  /// Scores before caps, and of sharers dP: they exchange both at once.
  Piece multiply(const Factors &factors);
  /// sums + dP, where dP has dropout, as TensorCode::drop.  `product` is dP if
  /// it is known.
  Values droppedPlus(ArrayRef<Value> sums, const Factors &factors,
                     Values product, ArrayRef<Value> own, bool areKeys,
                     Value firstColumn);

  // The launch of queries.
  Fragments q, grad;
  Values minusLse, minusDelta; ///< -lse' and -delta of the lane's queries
  Piece computePiece(Value firstKey, Value tile, int64_t firstRow,
                     int64_t columns);
  /// The lane's row of the i-th score.
  static int64_t rowAt(size_t i, int64_t columns) {
    return int64_t(i) / 4 / (columns / 8) * 2 + int64_t(i) % 4 / 2;
  }

  // The launch of keys.
  Fragments k, v;
  /// Columns of scores at once.
  int64_t pieceOfQueries() const { return c.sizes.columns <= 64 ? 32 : 16; }
  Values loadNumbers(Value first);
  void storeNumbers(ArrayRef<Value> own, Value tile);
  Value numbersAt(Value tile);
  Values addPiece(Value firstKey, Value query, Value tile, int64_t row,
                  ArrayRef<Value> sums);
};

} // namespace mlir::zero
