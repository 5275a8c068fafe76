//===- Options.cpp - The command line of a training binary ----------------===//
#include "runtime/files/OutputPath.h"
#include "train/options/CommandLine.h"
#include "train/options/RunLength.h"
#include "train/state/io/SampleFile.h"

#include <cmath>
#include <limits>
#include <sstream>
#include <unistd.h>

using namespace zrt;

namespace {

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

/// Whether zeroc replay compares a digest.
constexpr Choices<bool, 2> kDigestUses = {{{"ranks", false}, {"replay", true}}};

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

double readScaleNumber(const std::string &text, const char *kind,
                       double least) {
  const auto value = number<double>("--loss-scale", text, kind);
  if (!(value >= least && value <= LossScale::kMaximum))
    usage("--loss-scale must be {}, got {}", kind, text);
  return value;
}

/// "1024", or "dynamic,window=500,minimum=0.25".
LossScale readScale(const std::string &text) {
  std::istringstream parts(text);
  std::string part;
  std::getline(parts, part, ',');
  if (part != "dynamic")
    return LossScale(readScaleNumber(
        text, "dynamic, or a number from 1 to 2^126", LossScale::kMinimum));
  LossScale::Rule rule;
  while (std::getline(parts, part, ',')) {
    const size_t equals = std::min(part.find('='), part.size());
    const std::string key = part.substr(0, equals),
                      value = part.substr(std::min(equals + 1, part.size()));
    auto count = [&] {
      constexpr const char *kCount = "dynamic with a whole number from 1 on "
                                     "for window and hysteresis";
      const auto steps = number<int64_t>("--loss-scale", value, kCount);
      if (steps < 1)
        usage("--loss-scale must be {}, got {}", kCount, value);
      return steps;
    };
    if (key == "initial")
      rule.initial =
          readScaleNumber(value, "dynamic with an initial from 1 to 2^126",
                          LossScale::kMinimum);
    else if (key == "minimum")
      rule.minimum = readScaleNumber(
          value, "dynamic with a minimum from 1e-30 to 2^126", 1e-30);
    else if (key == "window")
      rule.window = count();
    else if (key == "hysteresis")
      rule.hysteresis = count();
    else
      usage("--loss-scale=dynamic takes initial=N, window=N, hysteresis=N and "
            "minimum=N, got {}",
            part);
  }
  return LossScale(rule);
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

void readSchedule(const CommandLine &line, TrainOptions &options) {
  if (!line.given("--lr") && !options.drives)
    usage("--lr is missing; see {} --help", options.program);
  for (const char *option :
       {"--init", "--base", "--save", "--metrics", "--digest", "--against"})
    if (line.given(option) && line.text(option).empty())
      usage("{} needs a file name", option);
  for (const char *option :
       {"--tensorboard", "--adapter", "--checkpoint", "--resume"})
    if (line.given(option) && line.text(option).empty())
      usage("{} needs the name of a folder", option);
  Schedule &schedule = options.schedule;
  schedule.warmup = line.count("--warmup", kMaxSteps);
  schedule.isLogarithmic = line.choose("--warmup-shape", kShapes, false);
  if (line.given("--warmup-shape") && !line.given("--warmup"))
    usage("--warmup-shape={} needs --warmup, the steps of the rise",
          line.text("--warmup-shape"));
  schedule.cooldown = line.count("--cooldown", kMaxSteps);
  schedule.peak = readRate("--lr", line.text("--lr", "0"));
  schedule.minimum = readRate("--min-lr", line.text("--min-lr", "0"));
  options.lossScaleText = line.text("--loss-scale");
  if (line.given("--loss-scale"))
    options.lossScale = readScale(options.lossScaleText);
  if (line.given("--spike-guard"))
    options.guard.sigmas = line.positive(
        "--spike-guard", "a number of standard deviations above 0");
  if (line.given("--spike-window")) {
    if (!line.given("--spike-guard"))
      usage("--spike-window needs --spike-guard");
    options.guard.window = line.count("--spike-window", 1'000'000);
    if (options.guard.window < 2)
      usage("--spike-window must be at least 2 steps, got {}",
            line.text("--spike-window"));
  }
  schedule.kind =
      line.choose("--schedule", kSchedules, Schedule::Kind::Constant);
  if (line.given("--min-lr") && schedule.kind == Schedule::Kind::Constant)
    usage("--min-lr needs --schedule=linear, cosine or wsd");
  const bool isWsd = schedule.kind == Schedule::Kind::Wsd;
  if (isWsd && !line.given("--cooldown"))
    usage("--schedule=wsd needs --cooldown, the steps of its fall");
  if (!isWsd && line.given("--cooldown"))
    usage("--cooldown needs --schedule=wsd");
  if (options.epochs == 0 && !schedule.hasRoom())
    usage("--warmup={} and --cooldown={} are more than --steps={}",
          schedule.warmup, schedule.cooldown, schedule.steps);
  if (schedule.minimum > schedule.peak)
    usage("--min-lr={} is above --lr={}", line.text("--min-lr"),
          line.text("--lr"));
}

void readOutput(const CommandLine &line, TrainOptions &options) {
  options.progress = line.choose("--progress", kProgress, ProgressKind::Auto);
  if (line.given("--progress") && options.quiet)
    usage("--progress={} and --quiet exclude each other; drop one",
          line.text("--progress"));
  options.saveType = line.choose("--save-dtype", kSaveTypes, ZRT_F32);
  options.initIsRandom = options.init == "random";
  if (options.initIsRandom)
    options.init.clear();
  if (!options.digest.empty() && !options.against.empty())
    usage("--digest and --against exclude each other; drop one");
  if (line.given("--digest-for") && options.digest.empty())
    usage("--digest-for={} needs --digest", line.text("--digest-for"));
  options.isReplayed = line.choose("--digest-for", kDigestUses, true);
  if (line.given("--save-dtype") && options.save.empty())
    usage("--save-dtype={} needs --save", line.text("--save-dtype"));
}

/// Throws if an output is also another file of the run.
void checkFiles(const TrainOptions &options) {
  const std::string metrics = options.metrics == "-" ? "" : options.metrics;
  checkDistinct("--metrics", metrics, "--save", options.save);
  checkDistinct("--metrics", metrics, "--init", options.init);
  checkDistinct("--metrics", metrics, "--digest", options.digest);
  checkDistinct("--save", options.save, "--digest", options.digest);
  checkDistinct("--init", options.init, "--digest", options.digest);
  checkNotPrinted("--digest", options.digest);
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

void zrt::readListings(const CommandLine &line, TrainOptions &options) {
  constexpr Choices<bool, 2> kForms = {{{"json", true}, {"text", false}}};
  options.plan = line.isOn("--plan");
  options.certificate = line.given("--certificate");
  options.certificateJson = line.choose("--certificate", kForms, false);
}

bool zrt::readMemoryCheck(const CommandLine &line) {
  constexpr Choices<bool, 2> kChecks = {{{"off", false}, {"on", true}}};
  return line.choose("--memory-check", kChecks, true);
}

/// Threads, drives and checks of a run.
static void readMachine(const CommandLine &line, TrainOptions &options) {
  options.threads = static_cast<int32_t>(line.count("--threads", 4096));
  options.hostThreads =
      static_cast<int32_t>(line.count("--host-threads", 4096));
  options.matmulAlgorithms =
      static_cast<int32_t>(line.countFrom1("--matmul-algorithms", 1000, 0));
  options.checksMemory = readMemoryCheck(line);
  if (line.given("--nvme-path") &&
      (options.nvmePath.empty() ||
       ("," + options.nvmePath + ",").find(",,") != std::string::npos))
    usage("--nvme-path must be DIR[,DIR...], got \"{}\"", options.nvmePath);
  if (line.given("--nvme-endurance"))
    options.nvmeEndurance =
        line.positive("--nvme-endurance", "a number of terabytes above 0");
  const std::string checked = line.text("--device-check");
  options.deviceCheck = !checked.empty();
  if (options.deviceCheck && checked != "-")
    options.deviceCheckFile = checked;
}

TrainOptions zrt::parseOptions(int argc, const char *const *argv) {
  TrainOptions options;
  options.program = programName(argc > 0 ? argv[0] : nullptr);
  CommandLine line(options.program,
                   "Trains the model that this program was compiled from.");
  line.setFooter(fmt::format(
      "Example:\n"
      "  {0} --data tokens.bin --steps 1000 --lr 6e-4 --schedule cosine \\\n"
      "    --warmup 100 --metrics run.jsonl --save model.safetensors\n\n"
      "Ctrl-C finishes the step, saves if --save or --save-at-exit is given, "
      "and exits\nwith status 130; a second Ctrl-C exits at once.  With "
      "several "
      "ranks, SIGTERM to\none stops all.  A closed pipe stops the run, too, "
      "with status 141.",
      options.program));
  line.addListed();
  line.parse(argc, argv);
  options.help = line.help();
  if (!options.help.empty())
    return options;
  options.compared = line.compared();
  options.repeated = line.repeated();
  for (const auto &[option, value] :
       {std::pair("--init", &options.init),
        {"--adapter", &options.adapter},
        {"--save", &options.save},
        {"--checkpoint", &options.checkpoint.folder},
        {"--resume", &options.checkpoint.resume},
        {"--base", &options.checkpoint.base},
        {"--metrics", &options.metrics},
        {"--tensorboard", &options.tensorboard},
        {"--digest", &options.digest},
        {"--against", &options.against},
        {"--nvme-path", &options.nvmePath}})
    *value = line.text(option);
  for (const auto &[flag, value] :
       {std::pair("--shuffle", &options.shuffle),
        {"--save-at-exit", &options.checkpoint.atExit},
        {"--resume-other-model", &options.checkpoint.mayBeOther},
        {"--profile", &options.profile},
        {"--utilization", &options.utilization},
        {"--quiet", &options.quiet},
        {"--force", &options.force},
        {"--retune-matmuls", &options.retunesMatmuls},
        {"--verify-reads", &options.verifyReads}})
    *value = line.isOn(flag);
  options.ranks = int32_t(line.countFrom1("--ranks", 65536, 0));
  readListings(line, options);
  if (options.certificate || options.plan)
    return options;
  readDrive(line, options);
  readMachine(line, options);
  options.seed = line.seed();
  if (options.deviceCheck)
    return options;
  if (!options.drives)
    readLength(line, options);
  readSchedule(line, options);
  readOutput(line, options);
  readData(line, options);
  readEvaluation(line, options.eval);
  readSamples(line, options.sample);
  readCheckpoints(line, options);
  checkFiles(options);
  return options;
}
