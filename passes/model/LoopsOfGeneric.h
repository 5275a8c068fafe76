//===- LoopsOfGeneric.h - A generic over the loops of another ---*- C++ -*-===//
#pragma once

#include "mlir/IR/IRMapping.h"
#include "passes/model/Combiners.h"

namespace mlir::zero {

/// An input that the derivative reads besides those of the original.
struct ExtraInput {
  Value tensor;
  AffineMap map; // over the original loops
};

/// One iteration, after a clone of the original body.
struct Iteration {
  const IRMapping &primal;      ///< maps the original's values
  ValueRange extras;            ///< the extra inputs' scalars
  ArrayRef<Operation *> cloned; ///< the body's operations
  ArrayRef<unsigned> position;  ///< new place of each original loop
};

/// Emits the scalar of one iteration.
using TermBody =
    llvm::function_ref<FailureOr<Value>(OpBuilder &, const Iteration &)>;

/// Emits the combination of the terms of reduced loops; by default their sum.
using CombineBody =
    llvm::function_ref<Value(OpBuilder &, Location, Value acc, Value term)>;

/// Emits a generic over the loops of `source` with result `type` at `outMap`, a
/// projected permutation of them: output loops first, the others combined onto
/// `init` (zeros if null).
FailureOr<Value> emitOverLoops(OpBuilder &b, linalg::GenericOp source,
                               ArrayRef<Combiner> combiners,
                               ArrayRef<ExtraInput> extras, AffineMap outMap,
                               RankedTensorType type, Value init, TermBody term,
                               CombineBody combine = {});

/// Emits a generic that computes each element of `type` from those of `inputs`
/// at `maps`.
Value emitParallel(
    OpBuilder &b, Location loc, RankedTensorType type, ValueRange inputs,
    ArrayRef<AffineMap> maps,
    llvm::function_ref<void(OpBuilder &, Location, ValueRange)> body);

} // namespace mlir::zero
