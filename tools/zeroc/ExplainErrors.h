//===- ExplainErrors.h - Notes to errors of MLIR ----------------*- C++ -*-===//
#pragma once

#include "mlir/IR/Diagnostics.h"

namespace mlir::zero {

/// While it lives, errors of MLIR that say little to who writes a model get a
/// note with what is meant.
class ExplainErrors : public ScopedDiagnosticHandler {
public:
  explicit ExplainErrors(MLIRContext &context);
};

} // namespace mlir::zero
