//===- Export.h - The command `zeroc export` --------------------*- C++ -*-===//
#pragma once

#include "llvm/Support/Error.h"
#include <string>

namespace mlir::zero {

/// Options of `zeroc export CHECKPOINT -o FILE|DIR [options]`.
struct ExportOptions {
  std::string checkpoint, output, config;
  std::string dtype = "f32"; ///< or bf16, f16
  int64_t maxShardBytes = int64_t{5} << 30;
};

/// Writes the weights, and reports what it wrote.
llvm::Error runExport(const ExportOptions &options);

} // namespace mlir::zero
