//===- Passes.h - Passes on models ----------------------------------------===//
#pragma once

#include "dialect/zero/OptionWords.h"
#include "mlir/Pass/Pass.h"

namespace mlir::zero {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/model/Passes.h.inc"
} // namespace mlir::zero
