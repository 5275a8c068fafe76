//===- SuggestOperations.h - What an unknown name may mean ------*- C++ -*-===//
#pragma once

#include "mlir/IR/Diagnostics.h"

namespace mlir::zero {

/// While it lives, an error about an operation that its dialect does not have
/// names those that are spelled alike, or all of a small dialect.
class SuggestOperations : public ScopedDiagnosticHandler {
public:
  explicit SuggestOperations(MLIRContext &context);
};

} // namespace mlir::zero
