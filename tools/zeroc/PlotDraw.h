//===- PlotDraw.h - Runs as a picture ---------------------------*- C++ -*-===//
#ifndef TOOLS_ZEROC_PLOTDRAW_H
#define TOOLS_ZEROC_PLOTDRAW_H

#include "tools/zeroc/PlotRun.h"

namespace mlir::zero {

/// The text of an SVG 1.1 file: equal runs give equal bytes.
std::string drawRuns(ArrayRef<PlotRun> runs);

} // namespace mlir::zero

#endif // TOOLS_ZEROC_PLOTDRAW_H
