//===- Options.h - The command line of zeroc ------------------------------===//
#pragma once

#include "targets/Target.h"
#include "tools/zeroc/deepspeed/DeepSpeed.h"
#include "tools/zeroc/model/ImportExport.h"
#include "tools/zeroc/model/MarkArguments.h"
#include "tools/zeroc/options/Requests.h"
#include <functional>
#include <optional>
#include <variant>
#include <vector>

namespace mlir::zero {

/// What zeroc writes: the text of a level, or code.  The first are the levels.
enum class Emit {
  Model,
  Step,
  Kernels,
  Partitioned,
  Scheduled,
  Memory,
  LLVM,
  Object,
  Executable
};

struct DriverOptions {
  std::string input, output, cpu = "native", certificate = "text";
  /// What runs the device's streams.
  const Target *target = nullptr;
  TargetOptions targetOptions;
  Emit emit = Emit::Executable;
  PipelineOptions pipeline;
  /// The numbers of ranks that get a plan, falling; the first is that of
  /// `pipeline`.
  SmallVector<int64_t> worldSizes = {1};
  /// Of --optimizer, where that is a file; and values for numbers of its rule.
  std::string optimizerFile, optimizerNumbers;
  /// The rule that --optimizer must bring, "#1a2b3c4d", if it says so.
  std::string optimizerHash;
  /// What arguments are, where the module does not say it.
  ArgumentMarks marks;
  bool timing = false;
  /// What the certificate predicts, or zeroc simulate.
  SimulateRequest prediction;
  bool isSimulated = false; ///< whether the command is zeroc simulate
  bool isPlanned = false;   ///< whether the command is zeroc plan
  PlanRequest plan;
  /// The options that were given, such as "--betas", each with the first output
  /// that it changes.
  SmallVector<std::pair<std::string, Emit>> given;
  /// The options that the program depends on, "--betas=0.9,0.95".
  std::vector<std::string> words;
  /// What --ds-config became; none without it.
  std::optional<deepspeed::Config> deepSpeed;

  /// The options of the plan of `ranks` ranks.  The global batch is that of
  /// `pipeline`, whose micro-steps `ranks` must divide.
  PipelineOptions pipelineOf(int64_t ranks) const;
  /// Whether the input is a model's folder or config.json, and not MLIR.
  bool isFolder() const;
  bool isText() const { return emit <= Emit::Memory; }
  /// The level that a model is brought to.
  Level getLevel() const {
    return isText() ? static_cast<Level>(emit) : Level::Memory;
  }
};

/// What a subcommand does.
using Action = std::function<llvm::Error()>;
using Command = std::variant<DriverOptions, Action>;

/// Parses the command line.  If it is wrong, prints what and exits with 1; for
/// --help prints `overview` and the options, and exits with 0.
/// Prints the versions of zeroc and of LLVM.  Returns 0.
int printVersion();

Command parseCommandLine(int argc, char **argv, StringRef overview);

} // namespace mlir::zero
