//===- Passes.h - What runs as one launch ---------------------------------===//
#ifndef PASSES_KERNELS_PASSES_H
#define PASSES_KERNELS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::zero {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/kernels/Passes.h.inc"
} // namespace mlir::zero

#endif // PASSES_KERNELS_PASSES_H
