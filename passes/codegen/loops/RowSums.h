//===- RowSums.h - Sums along the lanes -------------------------*- C++ -*-===//
#pragma once

#include "passes/codegen/loops/LoopNest.h"

#include <cmath>

namespace mlir::zero {

/// What sums along the lanes share, by a thread of a CPU (RowSums.cpp) and by a
/// half-warp of a GPU (gpu/HalfWarpSums.cpp).
class RowSums {
protected:
  explicit RowSums(LoopNest &nest)
      : c(nest), op(nest.getOp()), lane(nest.getLane()) {}

  LoopNest &c;
  linalg::LinalgOp op;
  int lane;

  /// One accumulator of lanes for each result.
  Values identities() {
    Values lanes;
    for (unsigned i = 0; i < op.getNumDpsInits(); ++i)
      // Only loops whose combiners have one come here.
      lanes.push_back(c.constantVector(combiner(i)->getResult(0).getType(),
                                       getIdentity(combiner(i)).value_or(NAN)));
    return lanes;
  }

  /// The operation that adds to accumulator `i`.
  Operation *combiner(size_t i) {
    return getCombiner(op, static_cast<unsigned>(i));
  }
  Value combine(size_t i, Value x, Value y) {
    return c.combine(combiner(i), x, y);
  }

  /// Adds the `i`-th total to its result.
  void addTotal(unsigned i, Value total) {
    OpOperand &init = *op.getDpsInitOperand(i);
    Value start = c.load(init, Value());
    c.store(init, combine(i, start, total), Value());
  }

  /// The values that the body yields for the vector at `first`; lanes outside
  /// of the mask keep those of `sums`.
  Values emitBodyAt(Value first, ArrayRef<Value> sums, Value mask) {
    c.open(lane, first);
    Values next = c.emitBody(sums, mask);
    c.close(lane);
    for (auto [value, old] : llvm::zip_equal(next, sums)) {
      value = c.asVector(value);
      if (mask)
        value = c.select(mask, value, old);
    }
    return next;
  }
};

} // namespace mlir::zero
