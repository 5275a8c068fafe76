//===- PlanSearch.h - The plans of a model, and the fastest that fits -----===//
//
// Stage, tiers, recomputation and buckets say where values are and when they
// move, and change no bit of what is trained: they are choices.  All plans of a
// model share its kernels:
//
//   kernels -+-> plan of one choice -> bytes of tiers, simulated seconds
//            +-> plan of the next one ...
//
// 1. Plans of all stages, recomputations and tiers are made in the order of
//    what they give up.  One that gives up more than a plan that fits, and in
//    no respect less, is left out: it moves and computes more for nothing.  Of
//    those that recompute blocks, the least part of the blocks is sought.
// 2. From the fastest that fits, one other value of a further option is tried
//    at a time, and kept if it is faster: the part of the optimizer's state
//    that is moved, the size of buckets, how long gathered parameters are kept,
//    which are not sharded, how far ahead they are brought, the order of
//    micro-steps, updates beside the forward.
//
// Where values are named, "--stage=0,1,2,3", the plans of all of them are made,
// and nothing is chosen.
//
// Plans of a search are not judged.  Who takes one compiles it as any other,
// and then it is.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/certify/Certificate.h"
#include "passes/time/StepTime.h"
#include "tools/zeroc/options/Requests.h"
#include "tools/zeroc/plan/SearchProgress.h"
#include <map>
#include <string>
#include <vector>

namespace mlir::zero {

/// A plan that a search has made.
struct TriedPlan {
  /// Of its model, "" if there is only one: "--batch=2 --precision=bf16".
  std::string model;
  /// The named values: "--stage=1 --remat=block"; "" where plans are chosen.
  std::string label;
  PipelineOptions options;
  Certificate certificate = {};
  /// Of a step; 0 where times are not asked for.
  double seconds = 0;
  /// The part of it that each kind of work would take alone, and "waits".
  std::map<std::string, double> parts = {};
  /// The bytes beyond the limits of the options, of all tiers.
  int64_t excess = 0;

  int64_t bytes(Tier tier) const {
    return certificate.arenas[static_cast<unsigned>(tier)].size;
  }
  bool fits() const { return excess == 0; }
};

class PlanSearch {
public:
  /// The time of a plan; an error if the machine has no times for it.
  using Predict = std::function<llvm::Expected<StepTime>(ModuleOp plan)>;

  /// Without `predict` plans have no times, and only 1. is done.
  explicit PlanSearch(const PlanRequest &request, Predict predict = {})
      : free(request.free), compared(request.compared),
        predict(std::move(predict)) {}

  /// Tries plans of a model, `kernels` at level kernels, until `enough` fit.
  void run(ModuleOp kernels, const PipelineOptions &given, StringRef model = "",
           size_t enough = SIZE_MAX);

  /// Notes why a model's plans cannot be made.
  void leaveOut(std::string why) { failures.push_back(std::move(why)); }

  /// In the order in which they were made.
  const std::vector<TriedPlan> &getTried() const { return tried; }
  /// The fastest plan that fits, the first of equal ones, of one model or of
  /// all; null if none fits.
  const TriedPlan *getBest() const;
  const TriedPlan *getBest(StringRef model) const;
  /// Why some plans could not be made or timed, each reason once.
  const std::vector<std::string> &getFailures() const { return failures; }

private:
  struct Model {
    ModuleOp kernels;
    const PipelineOptions &given;
    std::string name;
  };
  bool tryPlan(const Model &model, const PipelineOptions &options,
               StringRef label = "");
  void compare(const Model &model, PipelineOptions options, StringRef label,
               ArrayRef<std::vector<NamedValue>> rest);
  void recomputeLess(const Model &model, PipelineOptions options);
  void keepMore(const Model &model);
  bool givesUpMore(const Model &model, const PipelineOptions &options) const;
  bool isHopeless(const Model &model, const PipelineOptions &options) const;
  void refine(const Model &model);

  FreeOptions free;
  std::vector<std::vector<NamedValue>> compared;
  Predict predict;
  std::vector<TriedPlan> tried;
  std::vector<std::string> failures;
  SearchProgress progress;
};

/// The options of `plan` that differ from `given`, as they are typed.
std::string listAddedOptions(const PipelineOptions &plan,
                             const PipelineOptions &given);

} // namespace mlir::zero
