//===- Plot.h - The command `zeroc plot` ------------------------*- C++ -*-===//
#pragma once

#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace mlir::zero {

/// Of `zeroc plot RUN.jsonl... [-o RUN.svg]`.
struct PlotOptions {
  std::vector<std::string> runs;
  std::string output = "-";
};

/// Draws what train --metrics has written, of one run or several, and writes
/// the picture whole.
llvm::Error runPlot(const PlotOptions &options);

} // namespace mlir::zero
