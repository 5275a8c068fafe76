//===- Pipeline.h - From a model to a plan --------------------------------===//
#ifndef PASSES_PIPELINE_H
#define PASSES_PIPELINE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include <optional>
#include <string>

namespace mlir::zero {

/// How far a model has come.  The order is the pipeline's.
enum class Level {
  Model,
  Step,
  Kernels,
  Partitioned,
  Scheduled,
  Memory
};

std::optional<Level> parseLevel(StringRef name);
StringRef stringifyLevel(Level level);

struct PipelineOptions {
  std::string optimizer = "adamw";
  double beta1 = 0.9, beta2 = 0.95, eps = 1e-8, momentum = 0.9;
  double weightDecay = 0.1;
  double gradClip = 1.0; ///< 0: none
  bool reference = false;
  /// The most bytes of a chunk of logits; 0: any number.
  int64_t lossChunk = kLossChunk;
  static constexpr int64_t kLossChunk = int64_t(64) << 20;
  int64_t stage = 0, worldSize = 1, accumulate = 1;
  /// Bytes; 0: a bucket per block, no reuse, nothing persists.
  int64_t bucketSize = 0, reuseDistance = 0, persistBelow = 0;
  /// The most bytes of device memory that a rank may use; -1: any number.
  int64_t deviceMemory = -1;
};

/// The options of level partitioned as a user would type them, with every
/// digit.
std::string stringifyOptions(const PipelineOptions &options);

/// The level that `module` says it has reached in `zero.level`; the model's
/// without one, nothing if there is no such level.
std::optional<Level> getLevel(ModuleOp module);

/// The options that `module` was brought to its level with; they are part of a
/// plan from level partitioned on.  "" when it does not say.
StringRef getPlanOptions(ModuleOp module);

/// Whether the kernels of `module` were formed for --reference.
bool isReference(ModuleOp module);

/// The dialects and interface models that the pipeline needs.
void registerPipelineDialects(DialectRegistry &registry);

/// Brings `module` up to `target`.  A module that says in `zero.level` how far
/// it has come goes on from there; one beyond the target is an error.  A plan
/// is judged, also one that was printed: its text may have been changed.
LogicalResult runPipeline(ModuleOp module, Level target,
                          const PipelineOptions &options);

} // namespace mlir::zero

#endif // PASSES_PIPELINE_H
