//===- Weights.h - How weights begin, and where they end --------*- C++ -*-===//
#pragma once

#include "runtime/checkpoint/State.h"
#include "runtime/main/HostAccess.h"
#include "runtime/main/Options.h"
#include "runtime/world/World.h"

#include <string>
#include <vector>

namespace zrt {

/// The state of a run on this rank, by name.
class Weights {
public:
  /// Looks whether --save and --adapter can be obeyed.  Throws zrt::Error.
  /// With the gradients of updates that steps leave, if `delaysUpdates`.
  Weights(const zrt_plan &plan, const TrainOptions &options, World &world,
          zrt_context *ctx, bool delaysUpdates);

  const State &state() const { return all; }
  ContextMemory memory() const { return ContextMemory(ctx); }

  /// Throws zrt::Error where adapters would be trained beside random weights that
  /// nobody asked for.
  void checkBase() const;
  /// Random values, or those of --init and --adapter.  What is trained beside
  /// frozen parameters may be missing in --init.  Throws zrt::Error.
  void initialize() const;
  /// Throws zrt::Error for a value that is not finite, with the file that it comes
  /// from: those of the options, or the checkpoint `resumed`.
  void checkInitial(const std::string &resumed) const;
  /// The first value of this rank that is not finite, or "".
  std::string firstNonfinite() const;
  /// Writes --save: what is trained; of a plan with adapters a folder as PEFT
  /// reads it.  All ranks call it together.  Whether its elements are as
  /// asked for: what 16 bits cannot hold is saved as f32, for training is not to
  /// be lost.  Throws AgreedError.
  bool save() const;

private:
  /// What is trained, and what is frozen.
  const std::vector<Parameter> &parameters() const {
    return all.slots.front().parameters;
  }
  bool hasAdapters() const { return plan.adapters && *plan.adapters; }
  /// With warnings about the file, on rank 0, if it `warns`.
  void load(const std::vector<Parameter> &into, const std::string &path,
            bool warns) const;
  void initialize(const std::vector<Parameter> &some, bool warns) const;
  void checkAdapters() const;
  std::string savePath() const;
  /// PEFT's config of the adapters, with the model that they belong to.
  std::string adapterConfig() const;
  zrt_dtype saveType() const;

  const zrt_plan &plan;
  const TrainOptions &options;
  World &world;
  zrt_context *const ctx;
  const State all;
};

} // namespace zrt
