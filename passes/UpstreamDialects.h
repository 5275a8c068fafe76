//===- UpstreamDialects.h - Registers the parts of MLIR in use --*- C++ -*-===//
#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace mlir::zero {

/// Registers MLIR's dialects that models, kernels and their lowering contain,
/// with the interface models of bufferization.  All of MLIR would be twice the
/// size of zeroc.
void registerUpstreamDialects(DialectRegistry &registry);

/// Registers the upstream passes whose names zeroc's options accept.
void registerUpstreamPasses();

} // namespace mlir::zero
