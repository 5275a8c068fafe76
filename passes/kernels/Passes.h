//===- Passes.h - Passes that form kernels --------------------------------===//
#pragma once

#include "mlir/Pass/Pass.h"

namespace mlir::zero {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/kernels/Passes.h.inc"
} // namespace mlir::zero
