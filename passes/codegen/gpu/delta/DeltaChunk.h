//===- DeltaChunk.h - Adjoints of a chunk of a delta rule -------*- C++ -*-===//
//
// The second launch of the backward.  A part of a unit, which is a head of
// keys, is a chunk; the heads of values that read it are added in order.
//
//   L = dP P + dA A     M = beta D dA
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/codegen/gpu/delta/DeltaBlock.h"

namespace mlir::zero {

class DeltaChunk : DeltaBlock {
  static constexpr int64_t kPanelColumns = 4, kPanel = kPanelColumns * kAcross,
                           kDotLanes = 16, kLaneStride = kDotLanes + 1,
                           kOtherAt = kBytes,
                           kLanesAt = kOtherAt + kSquareBytes;

public:
  static constexpr int64_t kSharedBytes = kLanesAt + 4 * kChunk * kLaneStride;

  DeltaChunk(OpBuilder &b, Location loc, const DeltaShape &shape,
             const KernelViews &views, const DeltaOperands &all)
      : DeltaBlock(b, loc, shape, views, all) {
    batch = div(views.begin, shape.keyHeads);
    keyHead = rem(views.begin, shape.keyHeads);
    other = sharedSquare(kOtherAt);
    lanes = sharedTile(kChunk, kLaneStride, kLanesAt);
  }

  void emit() {
    loop(index(0), index(shape.headsPerKey()), 1, {},
         [&](Value of, ArrayRef<Value>) {
           nth = of;
           head = add(mul(keyHead, shape.headsPerKey()), nth);
           emitHead();
           return Values();
         });
  }

private:
  Value nth;   ///< the head of values, of those that read the head of keys
  Value other; ///< a second square
  Value lanes; ///< of dots of rows, [64, 16]

  void emitHead();

  Values loadGrad(Value i, Value n) { return loadOf(all.grad, head, i, n); }
  Values loadR(Value i, Value n) { return loadOf(all.dv, head, i, n); }
  Values loadU(Value i, Value n) {
    if (!hasBeta())
      return loadOf(all.v, head, i, n);
    return load(all.room,
                {batch, head, part, add(min(i, sub(rows, 1)), shape.keyWidth)},
                n);
  }
  /// Row `i` of S, or of dS in `room`.
  Values loadState(Value view, Value i, Value n) {
    return load(view, {batch, head, part, min(i, shape.keyWidth - 1)}, n);
  }
  Values scaled(Value factor, Values values) {
    for (Value &value : values)
      value = mulf(factor, value);
    return values;
  }
  /// - beta E of row `i`.
  Value factorOfR(Value i) {
    return minus(mulf(number(Beta, i), number(E, i)));
  }
  /// For threads that have a row of the chunk.
  void onRows(llvm::function_ref<void()> body) {
    when(isLess(thread, kChunk), body);
  }
  Value ofRow(llvm::function_ref<Value()> body) {
    return ifThen(isLess(thread, kChunk), {f32(0)},
                  [&]() -> Values { return {body()}; })[0];
  }

  void putSquare(ArrayRef<Value> values, Value to);
  /// The thread's elements of D dP; leaves L in `square`, and M in `other`.
  /// Returns the part of dbeta that comes from dA, for the thread's row.
  Value findSquares(Values &weights);
  /// That part, M, and the thread's elements of dA A.  Leaves no D in `square`.
  Value findBelow(Values &ofA);
  Value addLanes(ArrayRef<Value> sums);
  /// gamma plus the row of L, which is in `square`, minus its column.
  Value addPairs(Value gamma);

  /// Lanes of dots of the thread's rows: columns x and x + 8 of each 16.
  static constexpr int64_t kOwnLanes = kDotLanes / kAcross;
  /// Adds the products of a panel of columns to `sums`.
  void addToLanes(MutableArrayRef<Value> sums, ArrayRef<Value> left,
                  ArrayRef<Value> right);
  /// The dot of the thread's row.  Ends with a barrier, and needs one before.
  Value sumLanes(ArrayRef<Value> sums);
  /// The thread's elements of a panel of `view`, zeros beyond the width.
  Values panelOf(llvm::function_ref<Value(Value, Value)> element, Value panel,
                 int64_t width);
  Values panelOf(Value view, Value ofHead, Value panel, int64_t width);
  /// E (dO . Q S - beta dR . X) of the thread's row, with X = K S; puts dbeta,
  /// which is `beta` + dR . (V - E X).
  Value findDots(Value beta);
  /// A panel of columns of rows times S.
  Values timesState(Value panel, Row row);
  /// Lanes of <S, dS>, by the last threads, which have no rows.
  void dotStates();

  /// Adds dQ = E dO S^T + (D dP) K and
  /// dK = F (U dS^T) + (D dP)^T Q - beta E dR S^T + M K + M^T K, of which D dP
  /// is in `square` and M in `other`.  Returns k . (U dS^T) of the row.
  Value addQueriesAndKeys();
  /// sums + rows times the transpose of a panel of rows of S or dS.
  Values timesRows(Row row, Value state, Value panel, ArrayRef<Value> sums);
  /// Elements of row `i` of q or k in a panel.
  Values panelRow(Value view, Value i, Value panel);
  /// sums + of times a panel of q or k; the same of the transpose.
  Values addSquare(Value of, Value view, Value panel, ArrayRef<Value> sums);
  Values addTransposed(Value of, Value view, Value panel, ArrayRef<Value> sums);
  /// Adds to what the heads before have left.
  void addTo(Value view, Value panel, ArrayRef<Value> values);

  /// A gate acts on all positions behind it of its document.
  void putGates();
  /// dV = beta dR, and `room` is left as zeros.
  void finishValues();
};

} // namespace mlir::zero
