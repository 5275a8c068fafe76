//===- Passes.h - Passes that schedule and place a step -------------------===//
//
// See Passes.td.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "passes/plan/RotateUpdates.h"

namespace mlir::zero {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/plan/Passes.h.inc"

/// The least `max-live` of MoveTransfers with which `module` has an order, 0
/// for any.  Transfers of `module`, whose streams are assigned, move.
FailureOr<int64_t> findLeastGathered(ModuleOp module, Rotation rotation);
} // namespace mlir::zero
