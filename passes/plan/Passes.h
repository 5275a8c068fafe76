//===- Passes.h - Where and when ------------------------------------------===//
//
// Passes over a step's plan, and the judge of a finished one; see Passes.td.
//
//===----------------------------------------------------------------------===//
#ifndef PASSES_PLAN_PASSES_H
#define PASSES_PLAN_PASSES_H

#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::zero {

/// On the module: bytes of the device, host and nvme arena, and the most that
/// are alive at once in each.
constexpr llvm::StringLiteral kArenaAttr = "zero.arena";
constexpr llvm::StringLiteral kLivePeakAttr = "zero.live_peak";

/// On the module: peers read the device arena from this byte to its end.
constexpr llvm::StringLiteral kExportedAttr = "zero.exported";

#define GEN_PASS_DECL
#include "passes/plan/Passes.h.inc"

/// Fails with an error at the first operation that breaks a rule of
/// docs/plan.md.
LogicalResult verifyPlan(ModuleOp module);

/// The part of verifyPlan that several ranks need (V11); see
/// VerifyAgreement.cpp.
LogicalResult verifyAgreement(func::FuncOp program, int64_t ranks);

#define GEN_PASS_REGISTRATION
#include "passes/plan/Passes.h.inc"

} // namespace mlir::zero

#endif // PASSES_PLAN_PASSES_H
