//===- SmallerPlans.h - Finds plans that fit into memory --------*- C++ -*-===//
#pragma once

#include "passes/Pipeline.h"
#include "passes/certify/Certificate.h"
#include <string>

namespace mlir::zero {

/// Compiles `kernels`, at level kernels, to plans that may need less memory
/// than the one of `options`, which has `certificate`.  Describes those that
/// fit the limits of `options`; if none does, the smallest one.
std::string findSmallerPlans(ModuleOp kernels, const PipelineOptions &options,
                             const Certificate &certificate);

} // namespace mlir::zero
