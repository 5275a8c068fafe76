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

/// Declares --weights and --adapter.
void addWeights(CommandLine &line);
/// Parses a line that has them, and reads them and the options of the machine.
/// Returns false for --help and for listings, which end the program.  Throws
/// UsageError without weights.
bool parseForward(const zrt_plan &plan, CommandLine &line, int argc,
                  const char *const *argv, TrainOptions &options);

/// Loads the parameters of `plan` on all ranks together: a checkpoint, a folder
/// of checkpoints or of a Hugging Face model, or a safetensors file, and
/// adapters beside it.  Throws zrt::Error, also for numbers that are not
/// finite.
void loadWeights(const zrt_plan &plan, const TrainOptions &options,
                 World &world, zrt_context *ctx);

/// Runs `work`, which may fail on one rank alone; the others then end, too.
/// Returns the exit status; throws what `work` does unless another rank has
/// printed it.
int runForward(World &world, const std::function<void()> &work);

/// Writes `values` as a NumPy array of f32 with so many columns.
void writeNpy(const std::string &path, const std::vector<float> &values,
              uint64_t columns);

} // namespace zrt
