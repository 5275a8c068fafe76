//===- CheckpointOptions.cpp - Options of checkpoints ---------------------===//
#include "abi/ByteUnits.h"
#include "runtime/text/Bytes.h"
#include "train/options/CommandLine.h"
#include "train/options/RunLength.h"
#include "train/state/checkpoint/RankFile.h"

#include <cmath>

using namespace zrt;

namespace {

constexpr Choices<bool, 2> kOnError = {{{"continue", false}, {"stop", true}}};

/// "512MiB", "2GB", "4096": bytes.
uint64_t readByteCount(const char *option, const std::string &text) {
  constexpr const char *kKind =
      "a number of bytes above 0, as 4096, 2GiB or 2GB";
  const size_t digits = text.find_first_not_of("0123456789");
  const auto value = number<uint64_t>(option, text.substr(0, digits), kKind);
  const std::string unit =
      digits == std::string::npos ? "" : text.substr(digits);
  uint64_t factor = unit.empty() ? 1 : 0, bytes = 0;
  for (const ByteUnit &one : kByteUnits)
    if (unit == one.name)
      factor = one.bytes;
  if (factor > 0 && value > 0 && !__builtin_mul_overflow(value, factor, &bytes))
    return bytes;
  usage("{} must be {}, got {}", option, kKind, text);
}

/// "90", "90s", "30m", "2.5h": seconds.
double readDuration(const char *option, const std::string &text) {
  constexpr const char *kKind = "a time above 0, as 90 (seconds), 30m or 2.5h";
  if (text.empty())
    usage("{} must be {}", option, kKind);
  double unit = 1;
  std::string digits = text;
  for (const auto &[letter, seconds] :
       {std::pair('s', 1.0), {'m', 60.0}, {'h', 3600.0}})
    if (text.back() == letter) {
      unit = seconds;
      digits.pop_back();
    }
  const double value = number<double>(option, digits, kKind) * unit;
  if (!(value > 0 && std::isfinite(value)))
    usage("{} must be {}, got {}", option, kKind, text);
  return value;
}

} // namespace

void zrt::readCheckpoints(const CommandLine &line, TrainOptions &options) {
  CheckpointOptions &checkpoint = options.checkpoint;
  for (const char *option :
       {"--save-every", "--save-at-exit", "--keep", "--on-checkpoint-error",
        "--checkpoint-memory", "--elastic"})
    if (line.given(option) && !line.given("--checkpoint"))
      usage("{} needs --checkpoint=DIR", option);
  if (line.given("--checkpoint") && !line.given("--save-every") &&
      !checkpoint.atExit && !options.drives)
    usage("--checkpoint needs --save-every=N or --save-at-exit, or both");
  constexpr int64_t kMost = int64_t{1} << 40;
  checkpoint.every = line.countFrom1("--save-every", kMost, 0);
  checkpoint.keep = line.countFrom1("--keep", kMost, 0);
  if (line.given("--checkpoint-memory")) {
    const std::string typed = line.text("--checkpoint-memory");
    checkpoint.memory = readByteCount("--checkpoint-memory", typed);
    if (checkpoint.memory < kCheckpointBlock)
      usage("--checkpoint-memory must be {} or more, the size of a block that "
            "is written at once; got {}",
            shownBytes(kCheckpointBlock), typed);
  }
  checkpoint.stopOnError =
      line.choose("--on-checkpoint-error", kOnError, false);
  if (line.given("--time-limit"))
    options.timeLimit = readDuration("--time-limit", line.text("--time-limit"));
  options.until = line.countFrom1("--until", kMaxSteps, 0);
  if (options.epochs == 0 && options.until > options.schedule.steps)
    usage("--until={} is above --steps={}", options.until,
          options.schedule.steps);
  options.elastic = line.isOn("--elastic");
  if (options.elastic && line.given("--resume") && !checkpoint.resumesLatest())
    usage("--elastic goes on from the newest checkpoint in --checkpoint; drop "
          "--resume={}",
          checkpoint.resume);
  for (const char *option : {"--digest", "--against"})
    if (options.elastic && line.given(option))
      usage("--elastic goes on with other numbers of ranks, and {} is for one; "
            "drop one of them",
            option);
  if (options.elastic)
    checkpoint.resume = "latest";
  if (checkpoint.mayBeOther && checkpoint.resume.empty())
    usage("--resume-other-model is for a run that goes on; add --resume=DIR");
  if (!checkpoint.base.empty() && checkpoint.resume.empty())
    usage("--base is for a run that goes on; add --resume=DIR, or name the "
          "weights that a run begins with by --init");
  if (!checkpoint.base.empty() && line.given("--init"))
    usage("--base={} and --init={} both name the base; drop one",
          checkpoint.base, line.text("--init"));
  if (!line.given("--resume"))
    return;
  if (checkpoint.resumesLatest() && !line.given("--checkpoint"))
    usage("--resume=latest needs --checkpoint=DIR, the folder to look in");
  // A job that is started again and again begins with them once.  Files of
  // --init may be the base of the checkpoint, which says that.
  const char *start = line.given("--adapter") ? "--adapter"
                      : options.initIsRandom  ? "--init"
                                              : nullptr;
  if (start && !checkpoint.resumesLatest())
    usage("{} and --resume both say what to start from; drop one, or give "
          "--resume=latest, which reads {} only where there is no checkpoint "
          "yet",
          start, start);
}
