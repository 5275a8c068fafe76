//===- ShareStatements.h - Equal statements are computed once ---*- C++ -*-===//
#pragma once

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::zero {

/// Erases statements that nobody reads, and those that compute what an earlier
/// one does, whose readers then read that; in bodies, and of `function` itself.
void shareStatements(FunctionOpInterface function);

} // namespace mlir::zero
