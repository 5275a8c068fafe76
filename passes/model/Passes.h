//===- Passes.h - What to compute -----------------------------------------===//
#ifndef PASSES_MODEL_PASSES_H
#define PASSES_MODEL_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::zero {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/model/Passes.h.inc"
} // namespace mlir::zero

#endif // PASSES_MODEL_PASSES_H
