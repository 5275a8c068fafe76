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

/// The options of a plan: what PartitionState takes, and these.
struct PipelineOptions : PartitionStateOptions {
  /// The text of a zero.optimizer that the model brings; "": `optimizer` is it.
  std::string rule;
  bool reference = false;
  /// What the model's f32 becomes: fp32, bf16 or fp16.
  std::string precision = "fp32";
  /// Adapters: their rank, 0 for none, their alpha, and a regular expression of
  /// the layers that get one, "" for all but the head.
  int64_t loraRank = 0;
  double loraAlpha = 0;
  std::string loraTargets;
  /// How the weights of linear layers are kept beside adapters: model (as all
  /// others), nf4 or int8.
  std::string baseStorage = "model";
  /// The most bytes of a chunk of logits; 0: any number.
  int64_t lossChunk = kLossChunk;
  /// Bytes of other parameters between two uses that one gather serves.
  int64_t reuseDistance = 0;
  /// Where the optimizer's state and the parameters lie: none (the device), cpu
  /// or nvme.
  std::string offloadOptimizer = "none", offloadParams = "none";
  /// The same of what the forward leaves for the backward.
  std::string offloadActivations = "none";
  /// What of it is computed again instead: none, or what is within a block.
  std::string remat = "none";
  /// Whether updates in host memory run beside the next step's forward.
  bool overlapUpdate = false;
  bool delayedUpdate = false;
  /// The most bytes of device memory that a rank may use; -1: any number.
  int64_t deviceMemory = -1;
  /// The same of host memory.
  int64_t hostMemory = -1;
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
