//===- Passes.h - The memory certificate of a plan ------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::zero {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/certify/Passes.h.inc"
} // namespace mlir::zero
