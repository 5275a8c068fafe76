//===- Import.h - The command `zeroc import` --------------------*- C++ -*-===//
#pragma once

#include "llvm/Support/Error.h"
#include <string>

namespace mlir::zero {

/// Options of `zeroc import DIR|CONFIG.json --batch=B --seq=T
/// [--document-separator=ID] [-o MODEL.mlir]`.
struct ImportOptions {
  std::string config, output = "-";
  int64_t batch = 0, sequence = 0;
  int64_t separator = -1; ///< below 0: attention crosses documents
};

/// Builds the model and writes its file; notes go to stderr.
llvm::Error runImport(const ImportOptions &options);

} // namespace mlir::zero
