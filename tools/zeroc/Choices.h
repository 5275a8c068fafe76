//===- Choices.h - Plans of a model that fit a machine ----------*- C++ -*-===//
//
// zeroc MODEL_DIR --compare --world-size=N --device-memory=BYTES: plans in the
// order of what they give up.  The first that fits is the first choice:
//
//   1. state on the device, then optimizer state in host memory, then all
//      state, then all state on NVMe: each is slower than the one before
//   2. all weights are trained, then adapters, then adapters of packed weights
//   3. without recomputation, then with it
//   4. the lowest stage
//
// Costs are not known here: the order is this list.  It ends with the first
// tier in which all weights can be trained, or what the options ask for.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "tools/zeroc/Compare.h"

namespace mlir::zero {

/// Bytes of a device that are left to libraries: the CUDA context, cuBLAS and
/// NCCL.
constexpr int64_t kHeadRoom = int64_t{1} << 30;

struct ChoiceRequest {
  std::string model;
  int64_t batch = 1, sequence = 0; ///< see frontend::ImportedBatch
  /// Its deviceMemory is the device's; stage, tiers, recomputation are chosen,
  /// and, without adapters, what is trained.
  PipelineOptions options;
  std::string
      given; ///< the options of every plan, as typed: " --optimizer=sgd"
  bool choosesPrecision = false; ///< bf16, since none is given
  bool choosesRemat = false;
  int64_t ranksPerHost = 8;
  bool isJson = false;
};

/// The tokens of a sequence of an imported `module`.
int64_t countTokens(ModuleOp module);

/// Compiles `module`, at level model, to plans, and returns the table.
FailureOr<std::string> choosePlans(ModuleOp module,
                                   const ChoiceRequest &request,
                                   PassManagerSetup setup);

} // namespace mlir::zero
