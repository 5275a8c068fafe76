//===- Import.h - The command `zeroc import` --------------------*- C++ -*-===//
#pragma once

#include "llvm/Support/Error.h"
#include <string>

namespace mlir::zero {

/// Of `zeroc import DIR|CONFIG.json --batch=B --seq=T [--document-separator=ID]
/// [-o MODEL.mlir]`.
struct ImportOptions {
  std::string config, output = "-";
  int64_t batch = 0, sequence = 0;
  int64_t separator = -1; ///< below 0: documents see each other
};

/// Builds the model and writes it whole; notes go to stderr.
llvm::Error runImport(const ImportOptions &options);

} // namespace mlir::zero
