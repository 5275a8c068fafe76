//===- PlanNotes.h - Notes on a plan that was made --------------*- C++ -*-===//
#pragma once

#include "tools/zeroc/options/Options.h"

namespace mlir::zero {

/// Whether there are plans that "--bucket-size" leaves as they are, beside
/// options that it works with.
bool mayBeIdle(StringRef option);

/// Says which of the options `given` change nothing: `plan`, at level memory
/// and made of `source` with `options`, is the same without one.
void noteIdle(ModuleOp plan, ModuleOp source, const PipelineOptions &options,
              ArrayRef<std::string> given);

/// Says which --max-live took the place of one of --ds-config that is less than
/// `plan` needs.
void noteRaisedLive(ModuleOp plan, const DriverOptions &options);

} // namespace mlir::zero
