//===- Pipeline.h - From a model to a plan --------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"
#include "mlir/IR/DialectRegistry.h"
#include "passes/RunPasses.h"
#include "passes/partition/Passes.h"
#include <optional>
#include <string>

namespace mlir::zero {

/// How far a model has come.  The order is the pipeline's.
enum class Level { Model, Step, Kernels, Partitioned, Scheduled, Memory };

std::optional<Level> parseLevel(StringRef name);
StringRef stringifyLevel(Level level);

/// The options of a plan, and those of the passes that lead to it.
struct PipelineOptions : PlanOptions {
  /// The update rule, adamw, lion or sgd, and its numbers.
  std::string optimizer = "adamw";
  double beta1 = 0.9, beta2 = 0.95, eps = 1e-8, momentum = 0.9;
  /// The text of a zero.optimizer that the model brings; "": `optimizer` is it.
  std::string rule;
  /// Whether a step whose gradients are not finite is skipped: on, off, or auto, on
  /// with 16 bits.
  std::string skips = "auto";
  /// The rank of adapters, 0 for none, their alpha, and a regular expression of
  /// the layers that get one, "" for all but the head.
  int64_t loraRank = 0;
  double loraAlpha = 0;
  std::string loraTargets;
  /// The format of the weights of linear layers that have adapters: model (that of
  /// all others), nf4 or int8.
  std::string baseStorage = "model";
  /// The most bytes of device and of host memory that a rank may use; -1: no limit.
  int64_t deviceMemory = -1, hostMemory = -1;
  /// Bytes of the device that products use while they run, beside all values.
  int64_t workspace = 0;
};

/// The level that `module` says it has reached in `zero.level`; the model's
/// without one, nothing if there is no such level.
std::optional<Level> getLevel(ModuleOp module);

/// The options that `module` was brought to its level with, as a command line;
/// they are part of a plan from level partitioned on.  "" when it does not say.
std::string getPlanOptions(ModuleOp module);

/// Whether the kernels of `module` were formed for --reference.
bool isReference(ModuleOp module);

/// The dialects and interface models that the pipeline needs.
void registerPipelineDialects(DialectRegistry &registry);

/// The passes of the pipeline, for options and pipelines that name them.
void registerPipelinePasses();

/// Brings `module` up to `target`.  A module that says in `zero.level` how far
/// it has come goes on from there; one beyond the target is an error.  A plan
/// is judged, also one that was printed: its text may have been changed.
LogicalResult runPipeline(ModuleOp module, Level target,
                          const PipelineOptions &options,
                          PassManagerSetup setup = {});

} // namespace mlir::zero
