//===- Plot.cpp - The command `zeroc plot` --------------------------------===//
#include "tools/zeroc/Plot.h"

#include "frontend/OutputFile.h"
#include "tools/zeroc/PlotDraw.h"

using namespace mlir;

llvm::Error zero::runPlot(const PlotOptions &options) {
  if (llvm::Error error = frontend::checkOutput(options.output))
    return error;
  std::vector<PlotRun> runs;
  for (const std::string &path : options.runs) {
    llvm::Expected<PlotRun> run = readRun(path);
    if (!run)
      return run.takeError();
    runs.push_back(std::move(*run));
  }
  return frontend::writeOutput(options.output, drawRuns(runs));
}
