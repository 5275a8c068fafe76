//===- Pipeline.h - The pipeline from a model to a plan -------------------===//
#pragma once

#include "dialect/zero/Zero.h"
#include "mlir/IR/DialectRegistry.h"
#include "passes/RunPasses.h"
#include "passes/partition/Passes.h"
#include <optional>
#include <string>

namespace mlir::zero {

/// The levels of a model, in the order of the pipeline.
enum class Level { Model, Step, Kernels, Partitioned, Scheduled, Memory };

std::optional<Level> parseLevel(StringRef name);
StringRef stringifyLevel(Level level);

/// The options of a plan, and those of the passes that lead to it.
struct PipelineOptions : PlanOptions, OptimizerNumbers {
  /// The update rule, adamw, lion or sgd.
  std::string optimizer = "adamw";
  /// The text of a zero.optimizer that the model brings; "": `optimizer` is it.
  std::string rule;
  /// Whether a step whose gradients are not finite is skipped: on, off, or
  /// auto, on with 16 bits.
  std::string skips = "auto";
  /// The rank of adapters, 0 for none, their alpha, and a regular expression of
  /// the layers that get one, "" for all but the head.
  int64_t loraRank = 0;
  double loraAlpha = 0;
  /// The factor of adapters is alpha / sqrt(rank), not alpha / rank.
  bool rankStabilized = false;
  bool dora = false;
  /// The rate of dropout of the inputs of adapters.
  double loraDropout = 0;
  std::string loraTargets;
  /// A regular expression of modules that are trained whole beside adapters.
  std::string modulesToSave;
  /// The format of the weights of linear layers that have adapters: model (that
  /// of all others), nf4 or int8.
  std::string baseStorage = "model";
  /// Pads rows of matrices of products to aligned addresses, for GPUs.
  bool padsRows = false;
  /// Gives kernels room for what they keep between launches, for GPUs.
  bool givesRoom = false;
  /// The widest heads of attention that a library of the device computes; 0:
  /// kernels compute all attention.
  int64_t libraryAttention = 0;
  /// The most bytes of device and of host memory that a rank may use; -1: no
  /// limit.
  int64_t deviceMemory = -1, hostMemory = -1;
  /// A `maxLive` that is less than one operation needs is raised to that.
  bool raisesLive = false;
  /// The plan is one of many that are compared, and neither verified nor
  /// judged; the one that is taken is compiled again.
  bool isDraft = false;
};

/// The level that `zero.level` of `module` names; Level::Model without the
/// attribute, nothing if there is no such level.
std::optional<Level> getLevel(ModuleOp module);

/// The options with which `module` was compiled to its level, as a command line
/// that makes the plan again: those of #zero.options, and what else was given.
/// A plan has them from level partitioned on, before that the result is "".
std::string getPlanOptions(ModuleOp module);

/// Adds words such as "--lora=4" to what was given for `module`.
void addGiven(ModuleOp module, ArrayRef<std::string> words);

/// Whether the kernels of `module` were formed for --reference.
bool isReference(ModuleOp module);

/// Registers the dialects and interface models that the pipeline needs.
void registerPipelineDialects(DialectRegistry &registry);

/// Registers the passes, so that options and textual pipelines can name them.
void registerPipelinePasses();

/// Compiles `module` to level `target`, starting at the level in `zero.level`;
/// a level beyond the target is an error.  A plan that is no draft is always
/// judged, even one that was parsed from its text, which may have been changed.
LogicalResult runPipeline(ModuleOp module, Level target,
                          const PipelineOptions &options,
                          PassManagerSetup setup = {});

} // namespace mlir::zero
