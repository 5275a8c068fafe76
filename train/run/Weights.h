//===- Weights.h - Initializes and saves the weights of a run ---*- C++ -*-===//
#pragma once

#include "runtime/world/World.h"
#include "train/data/HostAccess.h"
#include "train/options/Options.h"
#include "train/state/checkpoint/Base.h"
#include "train/state/checkpoint/Reader.h"
#include "train/state/checkpoint/State.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace zrt {

/// The state of a run on this rank, by name.
class Weights {
public:
  /// Checks --save and --adapter.  Throws zrt::Error.  The state includes the
  /// gradients of pending updates if `delaysUpdates`.
  Weights(const zrt_plan &plan, const TrainOptions &options, World &world,
          zrt_context *ctx, bool delaysUpdates);

  const State &state() const { return all; }
  ContextMemory memory() const { return ContextMemory(ctx); }

  /// Throws zrt::Error if adapters would be trained on random base weights
  /// without --init=random.
  void checkBase() const;
  /// Hashes the files of --init for the checkpoints of the run, which do not
  /// hold the frozen parameters that these have, unless --save replaces one.
  /// All ranks call it together, before `initialize`.  Throws AgreedError.
  void hashBase();
  /// Sets random values, or those of --init and --adapter.  --init may lack
  /// trained parameters if it has the frozen ones.  Throws zrt::Error.
  void initialize();
  /// Takes the base from which `reader` has loaded the frozen parameters, if
  /// there is one.
  void takeBase(CheckpointReader &reader);
  /// A file of the base that is another now than when the run read it, or "".
  std::string changedBase() const { return base ? base->changed() : ""; }
  /// Throws zrt::Error for a value that is not finite, with the file of the
  /// value: one of the options, or the checkpoint `resumed`.
  void checkInitial(const std::string &resumed) const;
  /// The first value of this rank that is not finite, or "".
  std::string firstNonfinite() const;
  /// Writes the trained parameters to --save; for a plan with adapters, a
  /// folder in PEFT's format.  All ranks call it together.  Returns false if
  /// the elements are f32 instead of the requested type: values that 16 bits
  /// cannot hold are saved as f32, so that the training is not lost.  Throws
  /// AgreedError.
  bool save() const;

private:
  /// All parameters, trained and frozen.
  const std::vector<Parameter> &parameters() const {
    return all.slots.front().parameters;
  }
  bool hasAdapters() const { return plan.adapters && *plan.adapters; }
  /// Loads parameters; rank 0 prints warnings about the file if `warns`.
  void load(const std::vector<Parameter> &into, const std::string &path,
            bool warns) const;
  void initialize(const std::vector<Parameter> &wanted, bool warns) const;
  /// Removes a head for scores from `some` if --init lacks it and the run
  /// trains it, or --adapter has it; returns it.
  std::vector<Parameter> takeHead(std::vector<Parameter> &some,
                                  bool warns) const;
  /// The trained parameters of `some`, with their names in the file of --save:
  /// PEFT's, of adapters and of whole modules that are trained beside them.
  std::vector<Parameter>
  trainedInFile(const std::vector<Parameter> &some) const;
  /// Those of a base model, and those that are added to it: adapters, or if
  /// there are none, all that are trained.
  std::pair<std::vector<Parameter>, std::vector<Parameter>>
  splitBase(const std::vector<Parameter> &some) const;
  void checkAdapters() const;
  std::string savePath() const;
  /// PEFT's config of the adapters, with the model that they belong to.
  std::string adapterConfig() const;
  zrt_dtype saveType() const;

  const zrt_plan &plan;
  const TrainOptions &options;
  World &world;
  zrt_context *const ctx;
  State all;
  std::unique_ptr<const Base> base;
};

} // namespace zrt
