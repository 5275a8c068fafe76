//===- Passes.h - Where state lives ---------------------------------------===//
#ifndef PASSES_PARTITION_PASSES_H
#define PASSES_PARTITION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::zero {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/partition/Passes.h.inc"
} // namespace mlir::zero

#endif // PASSES_PARTITION_PASSES_H
