//===- SmallerPlans.h - Finds plans that fit into memory --------*- C++ -*-===//
#pragma once

#include "tools/zeroc/options/Requests.h"
#include <string>

namespace mlir::zero {

/// Returns true if the refused plan in `module` is valid except for its size.
bool exceedsBudget(ModuleOp module);

/// Searches the plans of `kernels`, at level kernels, that may need less memory
/// than the one of `given`.  Describes some that fit its limits; if none does,
/// the smallest one.
std::string findSmallerPlans(ModuleOp kernels, const PipelineOptions &given);

} // namespace mlir::zero
