//===- SuggestOperations.h - Suggests names of operations -------*- C++ -*-===//
#pragma once

#include "mlir/IR/Diagnostics.h"

namespace mlir::zero {

/// During its lifetime, an error about an unknown operation of a dialect lists
/// the ones with similar names, or all of a small dialect.
class SuggestOperations : public ScopedDiagnosticHandler {
public:
  explicit SuggestOperations(MLIRContext &context);
};

} // namespace mlir::zero
