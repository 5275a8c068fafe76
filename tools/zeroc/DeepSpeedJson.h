//===- DeepSpeedJson.h - The text of a DeepSpeed config -------------------===//
#ifndef TOOLS_ZEROC_DEEPSPEEDJSON_H
#define TOOLS_ZEROC_DEEPSPEEDJSON_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace mlir::zero::deepspeed {

/// Parses JSON as DeepSpeed reads it: comments of //, # and /* */ and a comma
/// after the last element are allowed, a key that comes twice is an error, and
/// the whole is an object.  Errors have the line.
llvm::Expected<llvm::json::Object> parseJson(llvm::StringRef text);

} // namespace mlir::zero::deepspeed

#endif // TOOLS_ZEROC_DEEPSPEEDJSON_H
