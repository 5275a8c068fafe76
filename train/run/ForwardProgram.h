//===- ForwardProgram.h - Programs that do not train ------------*- C++ -*-===//
#pragma once

#include "abi/zrt.h"
#include "runtime/world/World.h"
#include "train/options/CommandLine.h"
#include "train/options/Options.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace zrt {

/// Declares --weights, --base and --adapter.
void addWeights(CommandLine &line);
/// Parses a line that has them, and reads them and the options of the machine.
/// Returns false for --help and for listings, which end the program.  Throws
/// UsageError without weights.
bool parseForward(const zrt_plan &plan, CommandLine &line, int argc,
                  const char *const *argv, TrainOptions &options);

/// What such a program does after its command line: prints the listing that
/// `options` ask for, or loads weights on all ranks and does `work`, which may
/// fail on one rank alone; the others then end, too.  Returns the exit status;
/// throws zrt::Error unless another rank has printed it.
///
/// Weights are a checkpoint, a folder of checkpoints or of a Hugging Face
/// model, or a safetensors file, and adapters beside it.  Numbers that are not
/// finite are an error.
int runForward(const zrt_plan &plan, const TrainOptions &options,
               const std::function<void(World &, zrt_context *)> &work);

/// Writes `values` as a NumPy array of f32 with so many columns.
void writeNpy(const std::string &path, const std::vector<float> &values,
              uint64_t columns);

} // namespace zrt
