//===- AttentionBackward.h - The backward's launches ------------*- C++ -*-===//
#pragma once

#include "passes/codegen/gpu/attention/AttentionLaunches.h"

#include "numerics/Polynomials.h"

namespace mlir::zero {

/// Emits the work of a block in one of the launches (AttentionBackward.cpp).
class BackwardCode : BackwardBase<AttentionCode> {
public:
  BackwardCode(AttentionCode &code, const BackwardOperands &all)
      : BackwardBase(code, all), shape(code.shape),
        factor(shape.scale * ::zrt::kLog2E) {}

  void emitKeys();
  void emitQueries();

private:
  const AttentionShape &shape;
  const float factor;
  static constexpr int64_t kRows = AttentionCode::kRows,
                           kKeys = AttentionCode::kKeys,
                           kKeyRows = AttentionCode::kKeyRows,
                           kTile = AttentionCode::kTileKeys;

  /// Values for the thread's queries and keys.
  struct Panel {
    Values p, d, slopes;
  };
  Panel computePanel(Value firstKey, Value end, ArrayRef<Value> lse);
  /// P (D - delta), times slopes.
  Values adjoints(const Panel &panel, ArrayRef<Value> delta);

  /// A number of each of the thread's queries; beyond them, of the last one.
  Values ofQueries(llvm::function_ref<Value(Value query)> load);
  /// lse' of the thread's queries.
  Values loadLses();
  Values loadDeltas();

  /// Calls body(head, first query) for tiles that see one of 48 keys.
  Values overQueries(Value firstKey, ArrayRef<Value> carried,
                     llvm::function_ref<Values(Value, ArrayRef<Value>)> body);
  Values addTile(Value firstKey, Value column, ArrayRef<Value> sums);
};

} // namespace mlir::zero
