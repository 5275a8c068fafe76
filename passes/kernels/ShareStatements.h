//===- ShareStatements.h - Equal statements are computed once ---*- C++ -*-===//
#pragma once

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::zero {

/// Whether `op` has the hash of dropout.  The backward has it once more, so
/// that its source is kept, which others read, too.
bool drops(Operation &op);

/// Erases statements that nobody reads, and replaces statements that repeat an
/// earlier one by that; in bodies, and in `function` itself.
void shareStatements(FunctionOpInterface function);

} // namespace mlir::zero
