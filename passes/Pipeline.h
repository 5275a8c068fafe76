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

/// The options of a plan: those of PartitionState, and these.
struct PipelineOptions : PartitionStateOptions {
  /// The text of the model's own zero.optimizer; "" to use `optimizer`.
  std::string rule;
  bool reference = false;
  /// The type that replaces the model's f32: fp32, bf16 or fp16.
  std::string precision = "fp32";
  /// Adapters: their rank (0: none), their alpha, and a regular expression for
  /// the layers that get one ("": all but the head).
  int64_t loraRank = 0;
  double loraAlpha = 0;
  std::string loraTargets;
  /// The storage of the weights of linear layers that have adapters: model
  /// (like all others), nf4 or int8.
  std::string baseStorage = "model";
  /// The most bytes of a chunk of logits; 0: any number.
  int64_t lossChunk = kLossChunk;
  /// The bytes of other parameters between two uses that share a gather.
  int64_t reuseDistance = 0;
  /// The tiers of the optimizer's state and of the parameters: none (the
  /// device), cpu or nvme.
  std::string offloadOptimizer = "none", offloadParams = "none";
  /// The same for the activations that the backward reads.
  std::string offloadActivations = "none";
  /// The activations that are recomputed instead: none, or block for those
  /// within a block.
  std::string remat = "none";
  /// Whether updates in host memory run in parallel with the next step's
  /// forward.
  bool overlapUpdate = false;
  bool delayedUpdate = false;
  /// The most bytes of device memory that a rank may use; -1: any number.
  int64_t deviceMemory = -1;
  /// The same for host memory.
  int64_t hostMemory = -1;
  /// Device memory that products use while they run, in addition to all values.
  int64_t workspace = 0;
};

/// The level that `zero.level` of `module` names; Level::Model without the
/// attribute, nothing if there is no such level.
std::optional<Level> getLevel(ModuleOp module);

/// The options with which `module` was compiled to its level, as a command
/// line; a plan has them from level partitioned on, before that the result is
/// "".
std::string getPlanOptions(ModuleOp module);

/// Whether the kernels of `module` were formed for --reference.
bool isReference(ModuleOp module);

/// Registers the dialects and interface models that the pipeline needs.
void registerPipelineDialects(DialectRegistry &registry);

/// Registers the passes, so that options and textual pipelines can name them.
void registerPipelinePasses();

/// Compiles `module` to level `target`, starting at the level in `zero.level`;
/// a level beyond the target is an error.  A plan is always judged, even one
/// that was parsed from its text, which may have been changed.
LogicalResult runPipeline(ModuleOp module, Level target,
                          const PipelineOptions &options,
                          PassManagerSetup setup = {});

} // namespace mlir::zero
