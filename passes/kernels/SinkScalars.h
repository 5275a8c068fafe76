//===- SinkScalars.h - Scalars are computed where they are read -----------===//
#ifndef PASSES_KERNELS_SINKSCALARS_H
#define PASSES_KERNELS_SINKSCALARS_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero {

/// Computes the scalars of every function in the bodies of the generics that
/// read them; constants stay.  What nothing reads any more is left behind.
void sinkScalars(ModuleOp module);

} // namespace mlir::zero

#endif // PASSES_KERNELS_SINKSCALARS_H
