//===- HuggingFace.h - Models from config.json ------------------*- C++ -*-===//
#ifndef FRONTEND_HUGGINGFACE_H
#define FRONTEND_HUGGINGFACE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <string>

namespace mlir::frontend {

/// The config.json of a folder; any other path as it is.
std::string findConfig(StringRef path);

/// Builds `@loss` of the model that a Hugging Face config.json describes, or that
/// in the folder `path`, for `batch` sequences of `sequence` tokens.  What the
/// model says and zeroc does not do is an error; what it may leave out (GPT-2's
/// dropout) goes to `note`, one line each.
llvm::Expected<OwningOpRef<ModuleOp>>
importHuggingFace(MLIRContext &context, StringRef path, int64_t batch,
                  int64_t sequence, llvm::function_ref<void(StringRef)> note);

} // namespace mlir::frontend

#endif // FRONTEND_HUGGINGFACE_H
