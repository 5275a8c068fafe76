//===- LoopsOfGeneric.h - A generic over the loops of another ---*- C++ -*-===//
#ifndef PASSES_MODEL_LOOPSOFGENERIC_H
#define PASSES_MODEL_LOOPSOFGENERIC_H

#include "mlir/IR/IRMapping.h"
#include "passes/model/Combiners.h"

namespace mlir::zero {

/// An input that the derivative reads besides those of the original.
struct ExtraInput {
  Value tensor;
  AffineMap map; // over the original loops
};

/// Emits the scalar of one iteration, after a clone of the original body:
/// `primal` maps the original's values, `extras` are the extra inputs' scalars.
using TermBody = llvm::function_ref<FailureOr<Value>(
    OpBuilder &, const IRMapping &primal, ValueRange extras,
    ArrayRef<Operation *> cloned)>;

/// Emits a generic over the loops of `source` with result `type` at `outMap`, a
/// projected permutation of them: output loops first, the others summed onto
/// `init` (zeros if null).
FailureOr<Value> emitOverLoops(OpBuilder &b, linalg::GenericOp source,
                               ArrayRef<Combiner> combiners,
                               ArrayRef<ExtraInput> extras, AffineMap outMap,
                               RankedTensorType type, Value init,
                               TermBody term);

} // namespace mlir::zero

#endif // PASSES_MODEL_LOOPSOFGENERIC_H
