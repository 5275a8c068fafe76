//===- Passes.h - Passes that partition and place state -------------------===//
#pragma once

#include "dialect/zero/OptionWords.h"
#include "mlir/Pass/Pass.h"

namespace mlir::zero {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/partition/Passes.h.inc"

/// PartitionState for a plan of these options.
std::unique_ptr<Pass> createPartitionState(const PlanOptions &plan,
                                           PartitionStateOptions options);
} // namespace mlir::zero
