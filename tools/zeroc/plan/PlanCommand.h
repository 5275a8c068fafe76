//===- PlanCommand.h - zeroc plan, and options that are auto ----*- C++ -*-===//
#pragma once

#include "tools/zeroc/options/Options.h"

namespace mlir::zero {

/// Searches the plans of `module`, which it brings to level kernels.  The
/// command zeroc plan writes their table; otherwise `pipeline` becomes the
/// options of the fastest that fits, and a note says so.
llvm::Error planModel(ModuleOp module, const DriverOptions &options,
                      PipelineOptions &pipeline, PassManagerSetup setup);

/// Writes the table of the plans of a model's folder or config.json.  Without a
/// machine plans have no times.
llvm::Error planFolder(MLIRContext &context, const DriverOptions &options);

} // namespace mlir::zero
