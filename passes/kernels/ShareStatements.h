//===- ShareStatements.h - Equal statements are computed once ---*- C++ -*-===//
#pragma once

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::zero {

/// Erases statements that nobody reads, and replaces statements that repeat an
/// earlier one by that; in bodies, and in `function` itself.
void shareStatements(FunctionOpInterface function);

} // namespace mlir::zero
