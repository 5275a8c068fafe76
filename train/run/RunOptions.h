//===- RunOptions.h - Options that a checkpoint remembers -------*- C++ -*-===//
//
// A run that goes on may have other options than it had.  What somebody chooses
// is said; what can only be a mistake is refused; what changes no bit is left
// out.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "train/options/Options.h"

namespace zrt {

using RunOptionList = std::vector<std::pair<std::string, std::string>>;

/// Names and texts of what counts for a run of `plan`, whose data are of
/// `format` ("" without text).
RunOptionList runOptions(const zrt_plan &plan, const TrainOptions &options,
                         const std::string &format);

/// A line for each choice that is another than it was.  Throws Error for what
/// makes the run another one.  What an older checkpoint does not say is not
/// compared.
std::vector<std::string> changedOptions(const RunOptionList &now,
                                        const RunOptionList &was);

} // namespace zrt
