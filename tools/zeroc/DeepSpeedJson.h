//===- DeepSpeedJson.h - The text of a DeepSpeed config -------------------===//
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace mlir::zero::deepspeed {

/// Parses JSON as DeepSpeed reads it: comments (//, # and /* */) and a comma
/// after the last element are allowed, a duplicate key is an error, and the
/// text must be an object.  Errors contain the line.
llvm::Expected<llvm::json::Object> parseJson(llvm::StringRef text);

} // namespace mlir::zero::deepspeed
