//===- Generate.h - The command `zeroc generate` ----------------*- C++ -*-===//
#pragma once

#include "llvm/Support/Error.h"
#include <string>
#include <utility>
#include <vector>

namespace mlir::zero {

/// Options of `zeroc generate MODEL.mlir WEIGHTS [options]`.
struct GenerateOptions {
  std::string model, weights;
  /// Options of the compilation ("--cpu" and the like) and of the program, each
  /// with its value.
  std::vector<std::pair<std::string, std::string>> compiled, run;
};

/// Compiles the model with --sample-only into a temporary folder, and runs it.
/// Returns its exit status; the program reports its own errors.  `argv0` is
/// that of this compiler.
/// compiler's.
llvm::Expected<int> runGenerate(const GenerateOptions &options,
                                const char *argv0);

} // namespace mlir::zero
