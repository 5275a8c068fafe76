//===- Options.h - The command line of zeroc ------------------------------===//
#ifndef TOOLS_ZEROC_OPTIONS_H
#define TOOLS_ZEROC_OPTIONS_H

#include "passes/Pipeline.h"

namespace mlir::zero {

enum class Emit { Text, LLVM, Object, Executable };

struct DriverOptions {
  std::string input, output, cpu = "native";
  Emit emit = Emit::Executable;
  Level level = Level::Memory; ///< for Emit::Text
  PipelineOptions pipeline;
  bool timing = false;
  /// The first option given that shapes level kernels, such as "--loss-chunk",
  /// and level partitioned, such as "--betas"; text beyond that level cannot
  /// follow it.
  std::string forming, partitioning;
};

/// Parses the command line; prints `zeroc: error: ...` and returns nothing if
/// it is wrong.  --help prints and exits.
std::optional<DriverOptions> parseOptions(int argc, char **argv);

} // namespace mlir::zero

#endif // TOOLS_ZEROC_OPTIONS_H
