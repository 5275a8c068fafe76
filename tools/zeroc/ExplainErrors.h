//===- ExplainErrors.h - Notes to errors of MLIR ----------------*- C++ -*-===//
#pragma once

#include "mlir/IR/Diagnostics.h"

namespace mlir::zero {

/// During its lifetime, adds an explanatory note to errors of MLIR that authors
/// of models would not understand.
class ExplainErrors : public ScopedDiagnosticHandler {
public:
  explicit ExplainErrors(MLIRContext &context);
};

} // namespace mlir::zero
