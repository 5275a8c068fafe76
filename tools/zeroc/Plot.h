//===- Plot.h - The command `zeroc plot` ------------------------*- C++ -*-===//
#pragma once

#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace mlir::zero {

/// Options of `zeroc plot RUN.jsonl... [-o RUN.svg]`.
struct PlotOptions {
  std::vector<std::string> runs;
  std::string output = "-";
};

/// Draws the metrics that train --metrics has written, of one or several runs,
/// and writes the picture.
llvm::Error runPlot(const PlotOptions &options);

} // namespace mlir::zero
