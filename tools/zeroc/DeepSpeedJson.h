//===- DeepSpeedJson.h - The text of a DeepSpeed config -------------------===//
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace mlir::zero::deepspeed {

/// Parses JSON as DeepSpeed reads it: comments of //, # and /* */ and a comma
/// after the last element are allowed, a key that comes twice is an error, and
/// the whole is an object.  Errors have the line.
llvm::Expected<llvm::json::Object> parseJson(llvm::StringRef text);

} // namespace mlir::zero::deepspeed
