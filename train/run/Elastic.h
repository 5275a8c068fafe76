//===- Elastic.h - Goes on with other numbers of ranks ----------*- C++ -*-===//
//
// Which of a program's plans a process runs, and the starter of a run with
// --elastic, which starts ranks until none of them fails:
//
//   starter    8 ranks    rank 3 fails    4 ranks    SIGUSR2    8 ranks
//                         at step 157     from 150   at 420     from 420
//
// The starter loads no plan.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/world/World.h"
#include "train/options/Options.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace zrt {

/// The number of ranks whose plan this process runs: one of `sizes`, which
/// fall.  Throws UsageError or zrt::Error if the program has no such plan.
uint32_t chooseRanks(const std::vector<uint32_t> &sizes,
                     const TrainOptions &options,
                     const std::optional<Launched> &launcher);

/// Starts `ranks` ranks, and when some fail the largest of `sizes` that is
/// left.  Returns in each rank the number of ranks, with its own number and the
/// rest of the time limit in `options`; connectWorld then connects them.  The
/// calling process does not return; it ends with 0, or with the status of the
/// first failure.
uint32_t startElastically(const std::vector<uint32_t> &sizes, uint32_t ranks,
                          TrainOptions &options);

} // namespace zrt
