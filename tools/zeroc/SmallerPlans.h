//===- SmallerPlans.h - What fits where a plan does not ---------*- C++ -*-===//
#pragma once

#include "passes/Pipeline.h"
#include "passes/plan/Certificate.h"
#include <string>

namespace mlir::zero {

/// Compiles `kernels`, which is at level kernels, to plans that may need less
/// memory than the one of `options`, which has `certificate`, and says which of
/// them need no more than `options` allows; where none does, which is the
/// smallest.
std::string findSmallerPlans(ModuleOp kernels, const PipelineOptions &options,
                             const Certificate &certificate);

} // namespace mlir::zero
