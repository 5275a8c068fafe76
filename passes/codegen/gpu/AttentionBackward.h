//===- AttentionBackward.h - The backward's launches ------------*- C++ -*-===//
#pragma once

#include "passes/codegen/gpu/AttentionLaunches.h"

#include "runtime/device/cpu/attention/Polynomials.h"

namespace mlir::zero {

/// What a block does in one of the launches (AttentionBackward.cpp).
class BackwardCode {
public:
  BackwardCode(AttentionCode &code, const BackwardOperands &all)
      : c(code), shape(code.shape), all(all),
        factor(shape.scale * ::zrt::kLog2E) {}

  void emitDots();
  void emitKeys();
  void emitQueries();

private:
  AttentionCode &c;
  const AttentionShape &shape;
  BackwardOperands all;
  const float factor;
  static constexpr int64_t kRows = AttentionCode::kRows,
                           kKeys = AttentionCode::kKeys,
                           kKeyRows = AttentionCode::kKeyRows,
                           kTile = AttentionCode::kTileKeys;

  /// Of the thread's queries and keys.
  struct Panel {
    Values p, d, slopes;
  };
  Panel computePanel(Value firstKey, Value end, ArrayRef<Value> lse);
  /// P (D - dots), times slopes.
  Values adjoints(const Panel &panel, ArrayRef<Value> dots);

  /// The tile of queries and the query head that part says.
  void openQueries();
  Value head; ///< counted from the unit's first
  HeadRows ofHead(HeadRows rows) { return {rows.view, c.add(rows.head, head)}; }
  /// lse' of the thread's queries.
  Values loadLse();
  Values loadDots();
  void storeDots(Value row, Value dots);

  /// The sum of P D of the query whose number is the thread's, of 64.
  Value addDots(Value firstKey, Value sum);
  /// Calls body(head, first query) for tiles that see one of 48 keys.
  Values overQueries(Value firstKey, ArrayRef<Value> carried,
                     llvm::function_ref<Values(Value, ArrayRef<Value>)> body);
  Values addTile(Value firstKey, Value column, ArrayRef<Value> sums);
};

} // namespace mlir::zero
