//===- Options.cpp - The command line of a training binary ----------------===//
//
// CLI11 splits the line and converts values.  What a value means is judged
// here, so that every message is in our words.
//
//===----------------------------------------------------------------------===//
#include "train/options/Options.h"

#include "runtime/io/OutputPath.h"
#include "runtime/io/SampleFile.h"
#include "train/options/CertificateOption.h"
#include "train/options/CheckpointOptions.h"
#include "train/options/CommandLine.h"
#include "train/options/DataOptions.h"
#include "train/options/EvalOptions.h"
#include "train/options/MachineOptions.h"
#include "train/options/OptionValues.h"
#include "train/options/RankOptions.h"
#include "train/options/RunLength.h"
#include "train/options/SampleOptions.h"
#include "train/options/TrainOptionList.h"
#include "train/schedule/LossScale.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <limits>
#include <unistd.h>
#include <utility>

using namespace zrt;

namespace {

/// What was typed, before it is judged.
struct Typed {
  std::string warmup = "0", cooldown = "0", seed = "0", lossScale = "dynamic",
              saveType = "f32";
  std::string lr = "0", minLr = "0", spikeGuard, spikeWindow;
  std::string warmupShape = "linear";
  std::string schedule = "constant", progress, certificate;
  TypedData data;
  TypedCheckpoint checkpoint;
  TypedEval eval;
  TypedMachine machine;
  TypedSample sample;
};

constexpr Choices<Schedule::Kind, 4> kSchedules = {
    {{"constant", Schedule::Kind::Constant},
     {"cosine", Schedule::Kind::Cosine},
     {"linear", Schedule::Kind::Linear},
     {"wsd", Schedule::Kind::Wsd}}};

/// Whether the rise is logarithmic.
constexpr Choices<bool, 2> kShapes = {{{"linear", false}, {"log", true}}};

constexpr Choices<ProgressKind, 3> kProgress = {{{"bar", ProgressKind::Bar},
                                                 {"lines", ProgressKind::Lines},
                                                 {"none", ProgressKind::None}}};

constexpr Choices<zrt_dtype, 3> kSaveTypes = {
    {{"bf16", ZRT_BF16}, {"f16", ZRT_F16}, {"f32", ZRT_F32}}};

double readRate(const char *option, const std::string &text) {
  constexpr const char *kKind = "a finite number >= 0";
  const auto value = number<double>(option, text, kKind);
  if (!std::isfinite(value) || value < 0)
    usage("{} must be {}, got {}", option, kKind, text);
  // The step takes a float32.
  if (value > double(std::numeric_limits<float>::max()))
    usage("{}={} is more than a float32 holds, {:.3g}", option, text,
          std::numeric_limits<float>::max());
  if (value > 0 && static_cast<float>(value) == 0)
    usage("{}={} is 0 as a float32; choose a larger one, or 0", option, text);
  return value;
}

/// Nothing for "dynamic".
std::optional<double> readScale(const std::string &text) {
  if (text == "dynamic")
    return std::nullopt;
  constexpr const char *kKind = "dynamic, or a number from 1 to 2^126";
  const auto value = number<double>("--loss-scale", text, kKind);
  if (!(value >= LossScale::kMinimum && value <= LossScale::kMaximum))
    usage("--loss-scale must be {}, got {}", kKind, text);
  return value;
}

/// Two options that name one file would destroy each other's work.
void checkDistinct(const char *option, const std::string &path,
                   const char *other, const std::string &otherPath) {
  if (!path.empty() && !otherPath.empty() && isSameFile(path, otherPath))
    usage("{} and {} are the same file, {}; give each its own", option, other,
          path);
}

/// A file that the shell has opened for what is printed.
void checkNotPrinted(const char *option, const std::string &path) {
  for (const auto &[stream, name] :
       {std::pair(STDOUT_FILENO, "output"), std::pair(STDERR_FILENO, "error")})
    if (!path.empty() && isOpenAs(path, stream))
      usage("{} and standard {} are the same file, {}; give each its own",
            option, name, path);
}

void judge(const CLI::App &app, const Typed &typed, TrainOptions &options) {
  const auto given = [&](const char *option) { return app.count(option) > 0; };
  judgeLength(app, typed.data, options);
  if (!given("--lr"))
    usage("--lr is missing; see {} --help", options.program);
  for (const auto &[option, value] :
       {std::pair<const char *, const std::string &>{"--init", options.init},
        {"--save", options.save},
        {"--metrics", options.metrics}})
    if (given(option) && value.empty())
      usage("{} needs a file name", option);
  Schedule &schedule = options.schedule;
  schedule.warmup = readCount("--warmup", typed.warmup, kMaxSteps);
  schedule.isLogarithmic = choose("--warmup-shape", typed.warmupShape, kShapes);
  if (given("--warmup-shape") && !given("--warmup"))
    usage("--warmup-shape={} needs --warmup, the steps of the rise",
          typed.warmupShape);
  schedule.cooldown = readCount("--cooldown", typed.cooldown, kMaxSteps);
  schedule.peak = readRate("--lr", typed.lr);
  schedule.minimum = readRate("--min-lr", typed.minLr);
  if (given("--loss-scale")) {
    options.lossScale = readScale(typed.lossScale);
    options.lossScaleText = typed.lossScale;
  }
  if (given("--spike-guard")) {
    constexpr const char *kKind = "a number of standard deviations above 0";
    const auto value = number<double>("--spike-guard", typed.spikeGuard, kKind);
    if (!(value > 0 && std::isfinite(value)))
      usage("--spike-guard must be {}, got {}", kKind, typed.spikeGuard);
    options.guard.sigmas = value;
  }
  if (given("--spike-window")) {
    if (!given("--spike-guard"))
      usage("--spike-window needs --spike-guard");
    options.guard.window =
        readCount("--spike-window", typed.spikeWindow, 1'000'000);
    if (options.guard.window < 2)
      usage("--spike-window must be at least 2 steps, got {}",
            typed.spikeWindow);
  }
  schedule.kind = choose("--schedule", typed.schedule, kSchedules);
  if (given("--min-lr") && schedule.kind == Schedule::Kind::Constant)
    usage("--min-lr needs --schedule=linear, cosine or wsd");
  const bool isWsd = schedule.kind == Schedule::Kind::Wsd;
  if (isWsd && !given("--cooldown"))
    usage("--schedule=wsd needs --cooldown, the steps of its fall");
  if (!isWsd && given("--cooldown"))
    usage("--cooldown needs --schedule=wsd");
  if (options.epochs == 0 && !schedule.hasRoom())
    usage("--warmup={} and --cooldown={} are more than --steps={}",
          schedule.warmup, schedule.cooldown, schedule.steps);
  if (schedule.minimum > schedule.peak)
    usage("--min-lr={} is above --lr={}", typed.minLr, typed.lr);
  if (given("--progress"))
    options.progress = choose("--progress", typed.progress, kProgress);
  if (given("--progress") && options.quiet)
    usage("--progress={} and --quiet exclude each other; drop one",
          typed.progress);
  if (given("--tensorboard") && options.tensorboard.empty())
    usage("--tensorboard needs the name of a folder");
  options.saveType = choose("--save-dtype", typed.saveType, kSaveTypes);
  if (given("--adapter") && options.adapter.empty())
    usage("--adapter needs the name of a folder");
  options.initIsRandom = options.init == "random";
  if (options.initIsRandom)
    options.init.clear();
  if (given("--save-dtype") && options.save.empty())
    usage("--save-dtype={} needs --save", typed.saveType);
  judgeData(app, typed.data, options);
  judgeEvalOptions(app, typed.eval, options);
  judgeSampleOptions(app, typed.sample, options.sample);
  judgeCheckpointOptions(app, typed.checkpoint, options);
  const std::string metrics = options.metrics == "-" ? "" : options.metrics;
  checkDistinct("--metrics", metrics, "--save", options.save);
  checkDistinct("--metrics", metrics, "--init", options.init);
  checkNotPrinted("--metrics", metrics);
  checkNotPrinted("--save", options.save);
  const auto checkRead = [&](const std::string &option,
                             const std::string &path) {
    checkDistinct("--metrics", metrics, option.c_str(), path);
    checkDistinct("--save", options.save, option.c_str(), path);
  };
  for (const std::string &file : options.data)
    checkRead("--data", file);
  for (const std::string &file : options.eval.data)
    checkRead("--eval-data", file);
  for (const auto &[name, place] : options.inputs)
    checkRead("--input " + name, fileOfPlace(place));
  for (const auto &[name, place] : options.eval.inputs)
    checkRead("--eval-input " + name, fileOfPlace(place));
}

} // namespace

const char *zrt::nameOf(Schedule::Kind kind) {
  return nameIn(kSchedules, kind);
}

std::string zrt::programName(const char *argv0) {
  const std::string path = argv0 && *argv0 ? argv0 : "train";
  return path.substr(path.rfind('/') + 1);
}

TrainOptions zrt::parseOptions(int argc, const char *const *argv) {
  TrainOptions options;
  options.program = programName(argc > 0 ? argv[0] : nullptr);
  Typed typed;

  CLI::App app("Trains the model that this program was compiled from.",
               options.program);
  app.set_help_flag("");
  bool help = false;
  app.add_flag("-h,--help", help, "Print this text and exit");
  app.footer(fmt::format(
      "Example:\n"
      "  {0} --data tokens.bin --steps 1000 --lr 6e-4 --schedule cosine \\\n"
      "    --warmup 100 --metrics run.jsonl --save model.safetensors\n\n"
      "Ctrl-C finishes the step, saves if --save or --save-at-exit is given, "
      "and exits\nwith status 130; a second Ctrl-C exits at once.  With "
      "several "
      "ranks, SIGTERM to\none stops all.  A closed pipe stops the run, too, "
      "with status 141.",
      options.program));
  app.add_option("--steps", typed.data.steps);
  app.add_option("--epochs", typed.data.epochs);
  app.add_option("--lr", typed.lr);
  app.add_option("--schedule", typed.schedule);
  app.add_option("--warmup", typed.warmup);
  app.add_option("--warmup-shape", typed.warmupShape);
  app.add_option("--min-lr", typed.minLr);
  app.add_option("--cooldown", typed.cooldown);
  app.add_option("--loss-scale", typed.lossScale);
  app.add_option("--spike-guard", typed.spikeGuard);
  app.add_option("--spike-window", typed.spikeWindow);
  addDataOptions(app, typed.data, options);
  addEvalOptions(app, typed.eval);
  addSampleOptions(app, typed.sample);
  app.add_option("--init", options.init);
  app.add_option("--adapter", options.adapter);
  app.add_option("--seed", typed.seed);
  app.add_option("--save", options.save);
  app.add_option("--save-dtype", typed.saveType);
  addCheckpointOptions(app, typed.checkpoint, options);
  app.add_option("--metrics", options.metrics);
  app.add_option("--progress", typed.progress);
  app.add_option("--tensorboard", options.tensorboard);
  app.add_flag("--profile", options.profile);
  app.add_flag("--utilization", options.utilization);
  addCertificateOption(app, typed.certificate);
  addCommonOptions(app, typed.machine.threads, options);
  app.add_flag("--quiet", options.quiet);
  addMachineOptions(app, typed.machine);
  describeOptions(app);

  readLine(app, argc, argv);
  if (help) {
    options.help = app.help();
    return options;
  }
  options.compared = comparedOptions(app);
  judgeCertificateOption(typed.certificate, options);
  if (options.certificate || options.plan)
    return options;
  judgeMachineOptions(app, typed.machine, options);
  options.seed = zrt::number<uint64_t>("--seed", typed.seed,
                                       "a whole number from 0 to 2^64-1");
  if (!options.deviceCheck)
    judge(app, typed, options);
  return options;
}
