//===- Resume.h - Continues a run from a checkpoint -------------*- C++ -*-===//
//
// Before anything is changed, all ranks agree on one checkpoint; each rank
// checks that it fits the plan, and together they verify every byte of it.  If
// the command line differs from that of the saved run, the resume fails where
// the order of samples or random numbers would change, and prints a note
// otherwise.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"
#include "train/options/Options.h"
#include "train/state/checkpoint/Manifest.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace zrt {

struct Run;

/// The position of `run` before its first step, as a checkpoint records it.
/// Reads a sample of its data.  Throws zrt::Error.
RunPosition describeRun(const Run &run);

/// The position at which a resumed run begins.
struct Resumed {
  RunPosition run;
  std::string path;
  /// Lines to print.
  std::vector<std::string> notes, warnings;
};

/// Returns the absolute path of the checkpoint of --resume; "" for none.  Rank
/// 0 decides for all.  Throws zrt::Error.
std::string chosenCheckpoint(const TrainOptions &options);

/// Loads the checkpoint of --resume, if there is one; then `run` goes on from
/// it.  All ranks call it together.  Throws AgreedError; nothing has changed
/// then if the checkpoint does not fit or is damaged.
void resume(Run &run);

/// The same for the checkpoint at `path`, for a run that has begun.  Once
/// `hasChanged`, an error leaves a state that is no one's.
void loadOther(Run &run, const std::string &path, bool &hasChanged);

/// Compares what `model` computes (zrt_plan.function) with what that of the
/// checkpoint did; null: unknown.  Adds notes and warnings.  Throws Error for
/// another function, unless it `mayBeOther`.
void compareFunctions(const nlohmann::json &now, const nlohmann::json &was,
                      const std::string &model, bool mayBeOther,
                      Resumed &resumed);

/// The options that a checkpoint remembers, by name.  A run that goes on may
/// have other options than it had.  What somebody chooses is said; what can
/// only be a mistake is refused; what changes no bit is left out.
using RunOptionList = std::vector<std::pair<std::string, std::string>>;

/// The names of what the run began with: --init and --adapter.
constexpr const char *kInit = "init", *kAdapter = "adapter";

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
