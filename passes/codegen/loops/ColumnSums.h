//===- ColumnSums.h - Sums of columns ---------------------------*- C++ -*-===//
#pragma once

#include "passes/codegen/loops/LoopNest.h"

namespace mlir::zero {

/// Columns that a block of a GPU sums: 2 threads take a row of them, 16 bytes
/// of bf16, so that few columns are many blocks.
constexpr int64_t kBlockColumns = 8;

/// A sum whose lanes are columns: rows are added to all columns of the range.
class ColumnSums {
public:
  explicit ColumnSums(LoopNest &nest);

  /// The number of runs that rows are cut into; 0 for one sum of all rows.
  int64_t getNumRuns() const {
    return runRows == 0 ? 0 : outerRows * innerRuns;
  }

  void emit();

private:
  LoopNest &c;
  linalg::LinalgOp op;
  int lane;
  SmallVector<int> rowLoops; ///< reductions, the innermost last
  size_t cut = 0;            ///< the row loop that is cut into runs
  int64_t outerRows = 1;     ///< iterations of the loops around it
  int64_t innerRuns = 1;     ///< its runs
  int64_t runRows = 0;       ///< its iterations in a run; 0: it is not cut
  /// Sums of a run, of the columns from `first` on.
  Values parts;
  Value first;

  Operation *getCombinerOf(size_t i) {
    return getCombiner(op, static_cast<unsigned>(i));
  }
  Type getElementOf(size_t i) {
    return getElementTypeOrSelf(op.getDpsInits()[i]);
  }
  void chooseRuns();
  void createParts(int64_t columns);
  Value placeInPart();
  Values loadParts();
  void storeParts(ArrayRef<Value> values);
  void clearParts();
  void addParts();

  /// Calls `emit` for every 1024 columns, with the vector loop cut to them; on
  /// a GPU once, for the threads' columns.
  void forColumns(llvm::function_ref<void()> emit);
  void addRows(int loop, Value from, int64_t rows);
  void addBlocks(int loop, Value begin, int64_t rows);
  void addRange(size_t level, Value begin, int64_t count);
  void addRun(Value begin, int64_t rows);
  void emitReductions(int loop);

  // Sums by a block of a GPU (gpu/BlockColumnSums.cpp).
  void emitByBlock();
  Values viewRuns();
  void sumRun(Value run, ArrayRef<Value> runs);
  void addRuns(ArrayRef<Value> runs);
};

} // namespace mlir::zero
