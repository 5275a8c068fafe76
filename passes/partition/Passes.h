//===- Passes.h - Where state lives ---------------------------------------===//
#pragma once

#include "mlir/Pass/Pass.h"

namespace mlir::zero {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/partition/Passes.h.inc"
} // namespace mlir::zero
