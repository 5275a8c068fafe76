//===- ImportExport.h - The commands import and export ----------*- C++ -*-===//
//
// Each has options, and a function that runs it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/TextLoss.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mlir::zero {

/// `zeroc import DIR|CONFIG.json --batch=B --seq=T [--document-separator=ID]
/// [-o MODEL.mlir]`.
struct ImportOptions {
  std::string config, output = "-";
  int64_t batch = 0, sequence = 0;
  int64_t separator = -1; ///< below 0: attention crosses documents
  bool packed = false, dropout = false;
  std::string objective = "sft"; ///< a name of kObjectives
  frontend::TextLoss loss;
};

/// Builds the model and writes its file; notes go to stderr.
llvm::Error runImport(const ImportOptions &options);

/// `zeroc export CHECKPOINT -o FILE|DIR [options]`.
struct ExportOptions {
  std::string checkpoint, base, output, config, others;
  std::string dtype = "f32"; ///< or bf16, f16
  int64_t maxShardBytes = int64_t{5} << 30;
  bool merge = false; ///< adapters into their weights
  bool best = false;  ///< of a folder the best checkpoint, not the newest
  bool force = false; ///< replaces files that zeroc did not write
};

/// Writes the weights, and reports what it wrote.
llvm::Error runExport(const ExportOptions &options);

} // namespace mlir::zero
