//===- PlotDraw.h - Draws runs as a picture ---------------------*- C++ -*-===//
#pragma once

#include "tools/zeroc/PlotRun.h"

namespace mlir::zero {

/// Returns the text of an SVG 1.1 file: equal runs give equal bytes.
std::string drawRuns(ArrayRef<PlotRun> runs);

} // namespace mlir::zero
