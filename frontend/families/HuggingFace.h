//===- HuggingFace.h - Models from config.json ------------------*- C++ -*-===//
#pragma once

#include "frontend/TextLoss.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace mlir::frontend {

/// Returns the config.json of a folder, or any other path unchanged.
std::string findConfig(StringRef path);

/// The batch of the imported model: `batch` sequences of `sequence` tokens; 0:
/// of 2048, or as many as the model has positions, if these are fewer.
struct ImportedBatch {
  int64_t batch, sequence;
  /// The token that ends a document, if attention is to stay within documents.
  std::optional<int64_t> separator = std::nullopt;
  /// Whether a sequence holds several samples; see DecoderConfig.
  bool packed = false;
  TextLoss loss = {};
  /// Whether the model has the dropout of its config.json.
  bool dropout = false;
};

/// Builds `@loss` of the model that a Hugging Face config.json describes;
/// `path` is the file or its folder.  A feature that zeroc does not support is
/// an error; features that it leaves out (dropout) go to `note`, one line each.
llvm::Expected<OwningOpRef<ModuleOp>>
importHuggingFace(MLIRContext &context, StringRef path,
                  const ImportedBatch &batch,
                  llvm::function_ref<void(StringRef)> note);

} // namespace mlir::frontend
