//===- Options.h - The command line of a training binary --------*- C++ -*-===//
#pragma once

#include "runtime/text/Error.h"
#include "train/options/Pieces.h"
#include "train/schedule/LossScale.h"
#include "train/schedule/Schedule.h"
#include "train/schedule/SpikeGuard.h"
#include "train/state/io/TokenData.h"

#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace zrt {

/// Checkpoints that a run writes, and begins with.
struct CheckpointOptions {
  std::string folder;  ///< "": it writes none
  int64_t every = 0;   ///< steps; 0: only at its end
  int64_t keep = 0;    ///< how many; 0: all
  bool atExit = false; ///< when it ends or is stopped, too
  uint64_t memory = 0; ///< bytes for copies of what is written; 0: what is free
  bool stopOnError = false;
  std::string resume;      ///< a folder, "latest", or "": it begins anew
  std::string base;        ///< where that of `resume` is now, or ""
  bool mayBeOther = false; ///< the model of `resume` may be another function
  bool resumesLatest() const { return resume == "latest"; }
};

/// What a run is evaluated on.
struct EvalOptions {
  std::vector<std::string> data;
  std::vector<std::pair<std::string, std::string>> inputs;
  int64_t every = 0;   ///< steps; 0: only at its end
  int64_t batches = 0; ///< of all ranks; 0: as many as there are
  bool keepsBest = false;
  int64_t patience = 0; ///< evaluations that are no better; 0: no limit
  bool isWanted() const { return !data.empty() || !inputs.empty(); }
};

/// An argument of --data that is mixed with others.
struct DataSource {
  std::string name; ///< as it was given
  size_t files;     ///< of TrainOptions::data, after those of sources before it
  uint64_t weight;  ///< of all, with no common factor
};

/// What is drawn from the model.
struct SampleOptions {
  int64_t count = 0; ///< 0: nothing
  int64_t every = 0; ///< steps; 0: only at the end
  int64_t tokens = 100;
  std::optional<std::string> text;      ///< a prompt of bytes
  std::vector<int64_t> ids;             ///< or of these tokens
  double temperature = 0.8;             ///< 0: the likeliest token
  int64_t topK = 0;                     ///< of the likeliest tokens; 0: of all
  std::shared_ptr<const Pieces> pieces; ///< with which samples are text
  bool isWanted() const { return count > 0; }
};

/// What is shown of steps.  Auto: Bar on a terminal, else Lines.
enum class ProgressKind { Auto, Bar, Lines, None };

struct TrainOptions {
  std::string program;             ///< for messages: the name without folders
  std::vector<std::string> data;   ///< the files of a text, in order
  std::vector<DataSource> sources; ///< with --data-weights
  std::string init, adapter, save;
  std::string metrics;          ///< a file, or "-": standard output; "": none
  std::string tensorboard;      ///< a folder; "": none
  std::string digest, against;  ///< files of checksums; "": none
  bool isReplayed = true;       ///< `digest`, by zeroc replay on one rank
  zrt_dtype saveType = ZRT_F32; ///< of the elements of `save`: f32, bf16, f16
  /// Of --input: names of inputs, and where their samples are.
  std::vector<std::pair<std::string, std::string>> inputs;
  TokenFormat format = TokenFormat::Auto;
  /// The token after which another document begins, if it is given.
  std::optional<int64_t> separator;
  Schedule schedule; ///< with the number of steps
  /// How often all samples are read, if that says how many steps there are;
  /// else 0.
  int64_t epochs = 0;
  /// Whether samples are read in an order of `seed`, anew in each epoch.
  bool shuffle = false;
  uint64_t seed = 0;
  int32_t threads = 0;     ///< 0: all
  int32_t hostThreads = 0; ///< of streams of the host; 0: as many as `threads`
  /// Folders of the nvme tier, separated by commas; "" without it.
  std::string nvmePath;
  bool verifyReads = false; ///< what is read from nvme
  /// Terabytes that may be written to its drives, if given.
  std::optional<double> nvmeEndurance;
  /// What the loss of an fp16 plan is scaled by.
  LossScale lossScale;
  SpikeGuard::Options guard;
  /// --loss-scale as it was given, or "".
  std::string lossScaleText;
  CheckpointOptions checkpoint;
  EvalOptions eval;
  SampleOptions sample;
  /// "eval-" where data and inputs are those of `eval`.
  std::string dataPrefix;
  ProgressKind progress = ProgressKind::Auto;
  bool drives = false;  ///< requests on standard input say what is done
  bool hasRate = true;  ///< of steps that name none, with `drives`
  double timeLimit = 0; ///< seconds; 0: none
  int64_t until = 0;    ///< the run ends after so many steps; 0: after all
  /// The number of steps after which the run ends.
  int64_t end() const { return until ? until : schedule.steps; }
  /// Of cuBLASLt, that are timed for each product; 0: not given.
  int32_t matmulAlgorithms = 0;
  bool retunesMatmuls = false; ///< though the run has had others
  bool elastic = false;        ///< go on when ranks fail
  bool checksMemory = true;    ///< refuse a plan that does not fit the machine
  int32_t ranks = 0;           ///< 0: as many as are started, or the most
  int startedRank = -1; ///< of the starter of an elastic run; -1: without it
  bool utilization = false; ///< is measured and logged
  bool profile = false, certificate = false, plan = false, quiet = false;
  bool force = false;           ///< replaces files that zeroc did not write
  bool certificateJson = false; ///< as an object, with `certificate`
  bool deviceCheck = false;     ///< compare the device with processors, and end
  std::string deviceCheckFile;  ///< the same as JSON; "": none
  bool initIsRandom = false;    ///< --init=random: what is so without --init
  std::string help;             ///< not empty: print this and end
  std::string compared;         ///< CommandLine::compared() of this one
  /// CommandLine::repeated() of this one.
  std::vector<std::string> repeated;
};

/// As --schedule spells it.
const char *nameOf(Schedule::Kind kind);

/// A command line that cannot be obeyed; main() ends with status 2.
class UsageError : public Error {
public:
  using Error::Error;
};

template <typename... Args>
[[noreturn]] void usage(fmt::format_string<Args...> format, Args &&...args) {
  throw UsageError(fmt::format(format, std::forward<Args>(args)...));
}

/// The last part of `argv0`.
std::string programName(const char *argv0);

/// Throws UsageError.
TrainOptions parseOptions(int argc, const char *const *argv);

/// Whether it has a stream of class host.
bool worksOnHost(const zrt_plan &plan);

/// Throws UsageError when `plan` has no such tier as an option is for, or needs
/// an option that is missing.
void checkTierOptions(const zrt_plan &plan, const TrainOptions &options);

/// Parses "0.7,0.2,0.1" as 7, 2 and 1: whole numbers in the same proportions,
/// without a common factor.  Throws UsageError for a part that is not a number
/// above 0, and if the whole numbers sum up to more than SampleMix::kMaxSum.
std::vector<uint64_t> readWeights(const std::string &text);

} // namespace zrt
