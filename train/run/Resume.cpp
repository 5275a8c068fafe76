//===- Resume.cpp - Continues a run from a checkpoint ---------------------===//
#include "train/run/Resume.h"

#include "runtime/text/Error.h"
#include "runtime/world/Agree.h"
#include "train/report/Report.h"
#include "train/report/StandardStreams.h"
#include "train/run/Fingerprint.h"
#include "train/run/Run.h"
#include "train/state/checkpoint/Folder.h"
#include "train/state/checkpoint/Reader.h"
#include "train/state/io/Json.h"

#include <algorithm>
#include <climits>
#include <filesystem>
#include <map>
#include <memory>
#include <string_view>

using namespace zrt;
namespace fs = std::filesystem;

std::string zrt::chosenCheckpoint(const TrainOptions &options) {
  const CheckpointOptions &checkpoint = options.checkpoint;
  if (checkpoint.resumesLatest() && checkpointSteps(checkpoint.folder).empty())
    return "";
  const std::string path = findCheckpoint(
      checkpoint.resumesLatest() ? checkpoint.folder : checkpoint.resume);
  std::error_code error;
  std::string absolute = fs::absolute(path, error).lexically_normal().string();
  while (absolute.size() > 1 && absolute.back() == '/')
    absolute.pop_back();
  if (error || absolute.size() >= PATH_MAX)
    fail("the name {} is too long", path);
  return absolute;
}

namespace {

/// What depends on the seed in a run of `plan`, or "".
std::string_view whatHasChance(const zrt_plan &plan, bool shuffles) {
  if (shuffles)
    return "the order of samples";
  for (uint32_t i = 0; i < plan.input_count; ++i) {
    const std::string_view name = plan.inputs[i].name;
    if (name == "rounding")
      return "updates that round by chance";
    if (name == "dropout")
      return "masks of dropout";
  }
  return "";
}

std::string weightsText(const std::vector<uint64_t> &weights) {
  return weights.empty()
             ? "without --data-weights"
             : fmt::format("with --data-weights={}", fmt::join(weights, ","));
}

/// Throws if the order of samples or the roundings would change.
void checkSameRun(const zrt_plan &plan, const TrainOptions &options,
                  const RunPosition &now, const RunPosition &was) {
  if (!options.drives && was.shuffles != now.shuffles)
    fail("the run of the checkpoint was started {} --shuffle, and this one {}; "
         "do the same, or the order of samples changes",
         was.shuffles ? "with" : "without", was.shuffles ? "without" : "with");
  if (const std::string_view what = whatHasChance(plan, now.shuffles);
      was.seed != now.seed && !what.empty())
    fail("the run of the checkpoint has --seed={}, this one --seed={}, and {} "
         "depend on it; give it the same",
         was.seed, now.seed, what);
  if (!options.drives && was.weights != now.weights)
    fail("the run of the checkpoint was started {}, and this one {}; do the "
         "same, or the order of samples changes",
         weightsText(was.weights), weightsText(now.weights));
  if (options.epochs == 0 && was.step > options.schedule.steps)
    fail("the checkpoint is of step {}, beyond --steps={}", was.step,
         options.schedule.steps);
}

/// Adds notes and warnings about differences that are allowed.
void addDifferences(const TrainOptions &options, const RunPosition &now,
                    const RunPosition &was, uint64_t perStep,
                    Resumed &resumed) {
  resumed.notes = changedOptions(now.options, was.options);
  if (options.drives)
    return; // it reads no data
  if (now.dataBytes != was.dataBytes || now.dataHash != was.dataHash)
    resumed.warnings.push_back(fmt::format(
        "--data is another file than before the checkpoint ({} against {}); "
        "it is read from sequence {} on",
        shownBytes(now.dataBytes), shownBytes(was.dataBytes),
        withCommas(was.sequences)));
  if (now.inputBytes != was.inputBytes || now.inputHash != was.inputHash)
    resumed.warnings.push_back(
        fmt::format("the files of --input are others than they were until the "
                    "checkpoint; they are read from sample {} on",
                    withCommas(was.sequences)));
  if (uint64_t(was.step) * perStep != was.sequences)
    resumed.notes.push_back(fmt::format(
        "a step reads {} samples now: the data continue at number {}, {}",
        perStep, withCommas(was.sequences),
        options.epochs > 0 ? "and so does the schedule"
                           : fmt::format("the schedule at step {}", was.step)));
}

/// Rank 0's choice, on all ranks.
std::string agreedPath(const TrainOptions &options, World &world) {
  std::string path;
  together(world, [&] {
    if (world.rank() == 0)
      path = chosenCheckpoint(options);
  });
  return world.textOfRank0(path);
}

/// Throws if --checkpoint has a newer checkpoint, which "latest" would select.
void checkNewest(const TrainOptions &options, const Manifest &manifest) {
  const std::string &folder = options.checkpoint.folder;
  if (folder.empty())
    return;
  const std::vector<int64_t> steps = checkpointSteps(folder);
  if (!steps.empty() && steps.back() > manifest.run.step)
    fail("{} has a checkpoint of step {}, and this run continues from step {}; "
         "move the newer ones away, or give --checkpoint another folder",
         folder, steps.back(), manifest.run.step);
}

/// Runs `action`; adds to its error the intact checkpoint before `path`.
template <typename Action>
void orOffer(const std::string &path, Action action) {
  try {
    action();
  } catch (const Error &error) {
    const std::string before = intactBefore(path);
    fail("{}; {}", error.what(),
         before.empty()
             ? "there is no intact one before it beside it"
             : fmt::format("the one before is intact: --resume={}", before));
  }
}

/// What the user names as the base of a checkpoint, or "": --base, or --init as
/// it was when the run began.
std::string namedBase(const TrainOptions &options, const std::string &path,
                      const Manifest &manifest) {
  if (!options.checkpoint.base.empty() || options.init.empty())
    return options.checkpoint.base;
  if (!manifest.base && !options.checkpoint.resumesLatest() && !options.drives)
    fail("--init and --resume both say what to start from, as {} holds all "
         "parameters; drop one, or give --resume=latest, which reads --init "
         "only where there is no checkpoint yet",
         path);
  return manifest.base ? options.init : "";
}

/// Loads the state of `run`; returns nullopt if it starts from the beginning.
/// `hasChanged`: whether it is no longer the state before, also after an error.
std::optional<Resumed> loadCheckpoint(Run &run, bool &hasChanged) {
  const zrt_plan &plan = run.plan;
  const TrainOptions &options = run.options;
  World &world = run.world;
  const RunPosition &now = run.begin;
  const int threads = zrt_threads(run.context.get());
  const std::string path = agreedPath(options, world);
  if (path.empty()) {
    if (const std::string &base = options.checkpoint.base; !base.empty())
      throw AgreedError(
          fmt::format("--base={}: there is no checkpoint in {} yet; name what "
                      "the run begins with by --init={}",
                      base, options.checkpoint.folder, base),
          /*printedElsewhere=*/!run.isFirst);
    return std::nullopt;
  }
  std::unique_ptr<CheckpointReader> reader;
  Resumed resumed;
  resumed.path = path;
  State state;
  together(world, [&] {
    orOffer(path, [&] { reader = std::make_unique<CheckpointReader>(path); });
    const Manifest &manifest = reader->manifest();
    checkSameRun(plan, options, now, manifest.run);
    const bool isUpdateLeft = manifest.run.pending.has_value();
    if (isUpdateLeft && !plan.programs[ZRT_FIRST].ops)
      fail("{} is of a run with --delayed-update: the update of its last step "
           "is left to the next one, and this plan has no program for it; "
           "compile the model with --delayed-update or --overlap-update",
           path);
    state = findState(plan, world.rank(), isUpdateLeft);
    reader->checkFits(state);
    if (world.rank() == 0)
      checkNewest(options, manifest);
    resumed.run = manifest.run;
    addDifferences(options, now, manifest.run, samplesPerStep(plan), resumed);
    compareFunctions(parsePlanJson(now.function.c_str()),
                     parsePlanJson(manifest.run.function.c_str()),
                     plan.model ? plan.model : "this model",
                     options.checkpoint.mayBeOther, resumed);
    for (const std::string &note : reader->notes(state))
      resumed.notes.push_back(note);
    reader->openBase(namedBase(options, path, manifest));
  });
  const uint64_t identity = reader->identity(),
                 ofRank0 = world.gather(identity).front();
  together(world, [&] {
    if (identity != ofRank0)
      fail("{} is another checkpoint here than on rank 0; give all ranks one "
           "shared folder",
           path);
  });
  together(world, [&] {
    orOffer(path, [&] { reader->verify(world.rank(), world.size(), threads); });
  });
  const BlockShare ofHost = shareOfHost(world, threads);
  together(world, [&] { reader->verifyBase(ofHost); });
  hasChanged = true;
  together(world, [&] { reader->load(state, run.weights->memory()); });
  run.weights->takeBase(*reader);
  return resumed;
}

/// Warns of an --init or --adapter that is not read and is another than the run
/// began with.  What it began with stays so; an older checkpoint does not say
/// it.
template <typename Warn>
void compareBeginnings(Run &run, const Resumed &from, Warn warn) {
  const auto &was = from.run.options;
  const std::map<std::string, std::string> before(was.begin(), was.end());
  std::erase_if(run.begin.options, [&](auto &option) {
    auto &[name, value] = option;
    if (name != kInit && name != kAdapter)
      return false;
    const auto found = before.find(name);
    const bool isKnown = found != before.end(),
               isRead = name == kInit && run.weights->state().base;
    if (!value.empty() && !isRead && !(isKnown && found->second == value))
      warn(fmt::format(
          "--{}={} is not read: the run goes on from {}{}", name,
          name == kInit ? run.options.init : run.options.adapter, from.path,
          !isKnown ? ""
          : found->second.empty()
              ? fmt::format(", and began without --{}", name)
              : fmt::format(", and began with {}", shown(found->second))));
    if (isKnown)
      value = found->second;
    return !isKnown;
  });
}

} // namespace

RunPosition zrt::describeRun(const Run &run) {
  const zrt_plan &plan = run.plan;
  const TrainOptions &options = run.options;
  RunPosition position;
  position.begunWith = samplesPerStep(plan);
  position.shuffles = options.shuffle;
  position.seed = options.seed;
  for (const DataSource &source : options.sources)
    position.weights.push_back(source.weight);
  if (!options.data.empty()) {
    const FileFingerprint data = fingerprintOfData(options);
    position.dataBytes = data.bytes;
    position.dataHash = data.hash;
  }
  const FileFingerprint inputs = fingerprintOfInputs(options.inputs);
  position.inputBytes = inputs.bytes;
  position.inputHash = inputs.hash;
  if (const nlohmann::json config = parsePlanJson(plan.adapters);
      !config.is_null())
    position.adapters = config.dump();
  if (const nlohmann::json function = parsePlanJson(plan.function);
      !function.is_null())
    position.function = function.dump();
  position.options = runOptions(plan, options, run.feed->format());
  return position;
}

/// Goes on from the checkpoint that is loaded.
static void goOn(Run &run, Resumed &&loaded) {
  const Resumed &from = run.resumed.emplace(std::move(loaded));
  const TrainOptions &options = run.options;
  const auto warn = [&](const std::string &warning) {
    if (run.isFirst)
      complain(fmt::format("{}: warning: {}", options.program, warning));
  };
  const RunPosition &was = from.run;
  compareBeginnings(run, from, warn);
  run.counts.resumeFrom(was);
  // Without these, nothing counts the evaluations.
  if (options.eval.keepsBest || options.eval.patience > 0)
    run.best = was.best;
  run.begin.sequences = was.sequences;
  run.begin.skippedSequences = was.skippedSequences;
  if (was.begunWith > 0)
    run.begin.begunWith = was.begunWith;
  run.runner->shiftData(was.sequences -
                        uint64_t(was.step) * samplesPerStep(run.plan));
  std::optional<StepRunner::Pending> pending;
  if (const auto &left = was.pending)
    pending = {
        {left->lr, left->update, left->lossScale, left->rounding, left->clip},
        left->step};
  run.runner->resumeFrom(pending);
  for (const std::string &warning : from.warnings)
    warn(warning);
}

void zrt::resume(Run &run) {
  bool hasChanged = false;
  if (std::optional<Resumed> loaded = loadCheckpoint(run, hasChanged))
    goOn(run, std::move(*loaded));
}

void zrt::loadOther(Run &run, const std::string &path, bool &hasChanged) {
  run.options.checkpoint.resume = path;
  std::optional<Resumed> loaded = loadCheckpoint(run, hasChanged);
  if (!loaded)
    throw AgreedError(
        fmt::format("{} has no checkpoint yet", run.options.checkpoint.folder),
        /*printedElsewhere=*/!run.isFirst);
  goOn(run, std::move(*loaded));
}
