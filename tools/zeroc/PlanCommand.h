//===- PlanCommand.h - zeroc plan, and options that are auto ----*- C++ -*-===//
#pragma once

#include "targets/Target.h"
#include "tools/zeroc/PlanSearch.h"
#include "tools/zeroc/Simulate.h"

namespace mlir::zero {

struct DriverOptions;

/// Bytes of a device that are left to libraries: the CUDA context, cuBLAS and
/// NCCL.
constexpr int64_t kHeadRoom = int64_t{1} << 30;

/// Of zeroc plan.
struct PlanRequest {
  FreeOptions free;
  /// Tokens of a step of all ranks; 0: one micro-batch of each.
  int64_t batchTokens = 0;
  /// Of a model's folder: whether the sequences of a micro-batch and the
  /// precision are chosen, and whether adapters are tried, too.
  bool choosesBatch = false, choosesPrecision = false, choosesTraining = false;
  /// Sequences of a micro-batch and their tokens, see frontend::ImportedBatch.
  int64_t batch = 1, sequence = 0;
  /// The options of every plan, as they are typed: " --world-size=2".
  std::string given;
};

/// Searches the plans of `module`, which it brings to level kernels.  The
/// command zeroc plan writes their table; otherwise `pipeline` becomes the
/// options of the fastest that fits, and a note says so.
llvm::Error planModel(ModuleOp module, const DriverOptions &options,
                      PipelineOptions &pipeline, PassManagerSetup setup);

/// Writes the table of the plans of a model's folder or config.json.  Without a
/// machine plans have no times.
llvm::Error planFolder(MLIRContext &context, const DriverOptions &options);

} // namespace mlir::zero
