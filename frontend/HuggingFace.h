//===- HuggingFace.h - Models from config.json ------------------*- C++ -*-===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace mlir::frontend {

/// The config.json of a folder; any other path as it is.
std::string findConfig(StringRef path);

/// What a model is imported for: `batch` sequences of `sequence` tokens.
struct ImportedBatch {
  int64_t batch, sequence;
  /// The token that ends a document, if documents are not to see each other.
  std::optional<int64_t> separator = std::nullopt;
};

/// Builds `@loss` of the model that a Hugging Face config.json describes, or that
/// in the folder `path`.  What the model says and zeroc does not do is an error;
/// what it may leave out (GPT-2's dropout) goes to `note`, one line each.
llvm::Expected<OwningOpRef<ModuleOp>>
importHuggingFace(MLIRContext &context, StringRef path,
                  const ImportedBatch &batch,
                  llvm::function_ref<void(StringRef)> note);

} // namespace mlir::frontend
