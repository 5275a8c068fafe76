//===- OptionConflicts.h - Options of a plan that exclude each other ------===//
#pragma once

#include "passes/Pipeline.h"

#include <string>

namespace mlir::zero {

/// Why no plan can be all that `options` say, with the fix; "" if one can.
std::string findConflict(const PipelineOptions &options);

/// Whether parameters are a rank's own: of one rank, or of stage 3.
bool mayOffloadParameters(const PipelineOptions &options);

} // namespace mlir::zero
