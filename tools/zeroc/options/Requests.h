//===- Requests.h - The options of comparisons, searches and times --------===//
#pragma once

#include "passes/Pipeline.h"
#include "passes/time/Jitter.h"
#include <functional>
#include <string>
#include <vector>

namespace mlir::zero {

/// A value of an option, as it is typed, "--stage=3", and what it changes.
struct NamedValue {
  std::string text;
  std::function<void(PipelineOptions &)> take;
};

/// The options that a search may change; the others are as given.
struct FreeOptions {
  bool stage = false;
  /// Of state, its parts, activations and sums; and overlapped updates.
  bool offload = false;
  bool remat = false;
  bool bucketSize = false, reuseDistance = false, persistBelow = false,
       prefetch = false, accumulateOrder = false;
  bool any() const {
    return stage || offload || remat || bucketSize || reuseDistance ||
           persistBelow || prefetch || accumulateOrder;
  }
};

/// Of zeroc plan.
struct PlanRequest {
  FreeOptions free;
  /// The values of each option that has several, whose plans are compared;
  /// nothing is chosen then.
  std::vector<std::vector<NamedValue>> compared;
  /// Tokens of a step of all ranks; 0: one micro-batch of each.
  int64_t batchTokens = 0;
  /// Of a model's folder: whether the sequences of a micro-batch and the
  /// precision are chosen, and whether adapters are tried, too.
  bool choosesBatch = false, choosesPrecision = false, choosesTraining = false;
  /// Whether more ranks share a sequence where none of a model's plans fits.
  bool choosesContext = false;
  /// Sequences of a micro-batch and their tokens, see frontend::ImportedBatch.
  int64_t batch = 1, sequence = 0;
  /// The options of every plan, as they are typed: " --world-size=2".
  std::string given;
};

/// Of zeroc simulate.
struct SimulateRequest {
  std::string machine; ///< a file, see passes/time/Machine.h; "" for none
  int64_t threads = 0; ///< of a rank; 0: its share of the machine's cores
  int64_t network = 0; ///< Machine::Layout::network
  std::string trace;   ///< PREFIX.0.jsonl is written; "" for none
  Jitter jitter;
  bool listWork = false, isJson = false;
};

} // namespace mlir::zero
