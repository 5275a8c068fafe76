//===- Fingerprint.cpp - Do all ranks train the same thing? ---------------===//
#include "runtime/main/Fingerprint.h"

#include "runtime/ContentHash.h"
#include "runtime/Hash.h"
#include "runtime/io/AdapterFolder.h"
#include "runtime/io/InputFile.h"
#include "runtime/io/SampleFile.h"
#include "runtime/io/WeightFiles.h"
#include "runtime/main/Report.h"
#include "runtime/world/Agree.h"

#include <algorithm>

using namespace zrt;

namespace {

constexpr uint64_t kBlock = uint64_t{64} << 10;
constexpr uint64_t kSpread = 64;

/// "ranks 1, 3 have", of those whose `field` is not rank 0's.
struct Others {
  std::vector<size_t> ranks;
  /// "rank 1 has", "ranks 1, 3 have"
  std::string say(const char *one, const char *several) const {
    constexpr size_t kMaxShown = 8;
    const size_t shown = std::min(ranks.size(), kMaxShown);
    return fmt::format(
        "rank{} {}{} {}", ranks.size() == 1 ? "" : "s",
        fmt::join(ranks.begin(), ranks.begin() + long(shown), ", "),
        ranks.size() > shown ? ", ..." : "", ranks.size() == 1 ? one : several);
  }
};

template <typename Field>
Others othersThan0(const std::vector<Fingerprint> &all, Field field) {
  Others others;
  for (size_t rank = 1; rank < all.size(); ++rank)
    if (!(field(all[rank]) == field(all[0])))
      others.ranks.push_back(rank);
  return others;
}

std::string fileDifference(const std::vector<Fingerprint> &all,
                           FileFingerprint Fingerprint::*file,
                           const char *what) {
  const auto others = othersThan0(all, [&](auto &f) { return f.*file; });
  if (others.ranks.empty())
    return "";
  const uint64_t theirs = (all[others.ranks[0]].*file).bytes;
  const uint64_t ours = (all[0].*file).bytes;
  return fmt::format(
      "{} other {} than rank 0: {}; give every rank the same file",
      others.say("has", "have"), what,
      theirs == ours
          ? fmt::format("{}, but not the same", shownBytes(ours))
          : fmt::format("{} against {}", shownBytes(theirs), shownBytes(ours)));
}

template <typename Field>
std::string optionDifference(const std::vector<Fingerprint> &all,
                             const char *option, Field field) {
  const auto others = othersThan0(all, field);
  if (others.ranks.empty())
    return "";
  return fmt::format("{} --{}={}, but rank 0 has --{}={}; give every rank the "
                     "same options",
                     others.say("has", "have"), option,
                     field(all[others.ranks[0]]), option, field(all[0]));
}

std::string flagDifference(const std::vector<Fingerprint> &all,
                           const char *option, bool Fingerprint::*flag) {
  const auto others = othersThan0(all, [&](auto &f) { return f.*flag; });
  if (others.ranks.empty())
    return "";
  return fmt::format("{} {} --{}, but rank 0 {}; give every rank the same "
                     "options",
                     others.say("is", "are"),
                     all[0].*flag ? "started without" : "started with", option,
                     all[0].*flag ? "with it" : "without");
}

std::string separatorText(int64_t separator) {
  return separator < 0 ? "none" : std::to_string(separator);
}

std::string sampleDifference(const std::vector<Fingerprint> &all) {
  const auto others = othersThan0(all, [](auto &f) { return f.samples; });
  if (others.ranks.empty())
    return "";
  return others.say("has", "have") +
         " another --sample, or other options of it, than rank 0; give every "
         "rank the same options";
}

/// The bytes [begin, end) of `file`, added to `hash`.
uint64_t hashOf(const InputFile &file, uint64_t begin, uint64_t end,
                uint64_t hash) {
  std::vector<std::byte> block(kBlock);
  for (; begin < end; begin += kBlock) {
    const uint64_t bytes = std::min(kBlock, end - begin);
    file.read(begin, block.data(), bytes);
    hash = contentHash(block.data(), bytes, hash);
  }
  return hash;
}

} // namespace

std::vector<std::pair<uint64_t, uint64_t>> zrt::sampledRanges(uint64_t bytes) {
  constexpr uint64_t kBlocks = kSpread + 2;
  if (bytes <= kBlocks * kBlock)
    return {{0, bytes}};
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  // Block i starts at i / (blocks - 1) of the way to the last one; divided
  // first, so that no size overflows.
  const uint64_t last = bytes - kBlock, share = last / (kBlocks - 1);
  for (uint64_t i = 0; i + 1 < kBlocks; ++i)
    ranges.emplace_back(i * share, i * share + kBlock);
  ranges.emplace_back(last, bytes);
  return ranges;
}

FileFingerprint zrt::fingerprintOfFile(const std::string &path) {
  const InputFile file(path);
  FileFingerprint result = {file.size(), 0};
  for (const auto &[begin, end] : sampledRanges(file.size()))
    result.hash = hashOf(file, begin, end, result.hash);
  return result;
}

FileFingerprint zrt::fingerprintOfFiles(const std::vector<std::string> &paths) {
  if (paths.size() == 1)
    return fingerprintOfFile(paths.front());
  FileFingerprint all;
  for (const std::string &path : paths) {
    const FileFingerprint one = fingerprintOfFile(path);
    all.hash = contentHash(reinterpret_cast<const std::byte *>(&one),
                           sizeof(one), all.hash);
    all.bytes += one.bytes;
  }
  return all;
}

FileFingerprint zrt::fingerprintOfData(const TrainOptions &options) {
  FileFingerprint all = fingerprintOfFiles(options.data);
  for (const DataSource &source : options.sources) {
    const uint64_t files = source.files;
    all.hash = contentHash(reinterpret_cast<const std::byte *>(&files),
                           sizeof(files), all.hash);
  }
  return all;
}

FileFingerprint zrt::fingerprintOfInputs(
    const std::vector<std::pair<std::string, std::string>> &inputs) {
  FileFingerprint all;
  const auto add = [&](const void *data, uint64_t bytes) {
    all.hash =
        contentHash(static_cast<const std::byte *>(data), bytes, all.hash);
  };
  for (const auto &[name, place] : inputs) {
    const std::string file = fileOfPlace(place),
                      tensor = place.substr(file.size());
    const FileFingerprint one = fingerprintOfFile(file);
    add(name.data(), name.size());
    add(tensor.data(), tensor.size());
    add(&one, sizeof(one));
    all.bytes += one.bytes;
  }
  return all;
}

/// All that ranks draw alike.
static uint64_t samplesOf(const SampleOptions &sample) {
  Hash hash;
  for (const int64_t number : {sample.count, sample.tokens, sample.topK})
    hash.addNumber(number);
  hash.addNumber(sample.temperature);
  for (const int64_t id : sample.ids)
    hash.addNumber(id);
  hash.add(sample.text.value_or(""));
  return sample.isWanted() ? hash.get() : 0;
}

Fingerprint zrt::fingerprintOf(const TrainOptions &options) {
  Fingerprint f;
  const InputFile program("/proc/self/exe");
  f.program = hashOf(program, 0, program.size(), 0);
  f.hasData = !options.data.empty();
  if (f.hasData)
    f.data = fingerprintOfData(options);
  for (const DataSource &source : options.sources)
    f.dataWeights =
        contentHash(reinterpret_cast<const std::byte *>(&source.weight),
                    sizeof(source.weight), f.dataWeights);
  f.inputs = fingerprintOfInputs(options.inputs);
  f.evaluates = options.eval.isWanted();
  if (!options.eval.data.empty())
    f.evalData = fingerprintOfFiles(options.eval.data);
  f.evalInputs = fingerprintOfInputs(options.eval.inputs);
  f.evalEvery = options.eval.every;
  f.evalBatches = options.eval.batches;
  f.samples = samplesOf(options.sample);
  f.sampleEvery = options.sample.every;
  f.hasInit = !options.init.empty();
  if (f.hasInit)
    f.init = fingerprintOfFiles(weightFiles(options.init));
  f.hasAdapter = !options.adapter.empty();
  if (f.hasAdapter)
    f.adapter = fingerprintOfFiles({options.adapter + "/" + kAdapterFile});
  f.saves = !options.save.empty();
  f.checkpoints = !options.checkpoint.folder.empty();
  f.resumes = !options.checkpoint.resume.empty();
  f.saveEvery = options.checkpoint.every;
  f.savesAtExit = options.checkpoint.atExit;
  f.stopsOnError = options.checkpoint.stopOnError;
  f.timeLimit = options.timeLimit;
  f.steps = options.schedule.steps;
  f.epochs = options.epochs;
  f.warmup = options.schedule.warmup;
  f.cooldown = options.schedule.cooldown;
  f.shuffles = options.shuffle;
  f.lr = options.schedule.peak;
  f.minLr = options.schedule.minimum;
  f.schedule = static_cast<uint32_t>(options.schedule.kind);
  f.format = static_cast<uint32_t>(options.format);
  f.seed = options.seed;
  f.separator = options.separator.value_or(-1);
  f.lossScale = options.lossScale.value_or(0);
  return f;
}

std::string zrt::disagreement(const std::vector<Fingerprint> &all) {
  const auto programs = othersThan0(all, [](auto &f) { return f.program; });
  if (!programs.ranks.empty())
    return programs.say("runs", "run") +
           " another program than rank 0; copy one binary to every host";
  const auto weights = othersThan0(all, [](auto &f) { return f.dataWeights; });
  // Whether and how files are read comes before what is in them.
  const std::string differences[] = {
      optionDifference(all, "steps", [](auto &f) { return f.steps; }),
      optionDifference(all, "epochs", [](auto &f) { return f.epochs; }),
      optionDifference(all, "lr", [](auto &f) { return f.lr; }),
      optionDifference(all, "schedule",
                       [](auto &f) {
                         return nameOf(static_cast<Schedule::Kind>(f.schedule));
                       }),
      optionDifference(all, "warmup", [](auto &f) { return f.warmup; }),
      optionDifference(all, "cooldown", [](auto &f) { return f.cooldown; }),
      optionDifference(all, "min-lr", [](auto &f) { return f.minLr; }),
      optionDifference(all, "seed", [](auto &f) { return f.seed; }),
      optionDifference(all, "loss-scale", [](auto &f) { return f.lossScale; }),
      optionDifference(
          all, "data-format",
          [](auto &f) { return nameOf(static_cast<TokenFormat>(f.format)); }),
      optionDifference(all, "document-separator",
                       [](auto &f) { return separatorText(f.separator); }),
      flagDifference(all, "shuffle", &Fingerprint::shuffles),
      flagDifference(all, "data", &Fingerprint::hasData),
      weights.ranks.empty() ? std::string()
                            : weights.say("has", "have") +
                                  " other --data-weights than rank 0; give "
                                  "every rank the same options",
      flagDifference(all, "eval-data", &Fingerprint::evaluates),
      optionDifference(all, "eval-every", [](auto &f) { return f.evalEvery; }),
      optionDifference(all, "eval-batches",
                       [](auto &f) { return f.evalBatches; }),
      optionDifference(all, "sample-every",
                       [](auto &f) { return f.sampleEvery; }),
      sampleDifference(all),
      flagDifference(all, "init", &Fingerprint::hasInit),
      flagDifference(all, "adapter", &Fingerprint::hasAdapter),
      flagDifference(all, "save", &Fingerprint::saves),
      flagDifference(all, "checkpoint", &Fingerprint::checkpoints),
      flagDifference(all, "resume", &Fingerprint::resumes),
      flagDifference(all, "save-at-exit", &Fingerprint::savesAtExit),
      flagDifference(all, "on-checkpoint-error=stop",
                     &Fingerprint::stopsOnError),
      optionDifference(all, "save-every", [](auto &f) { return f.saveEvery; }),
      optionDifference(all, "time-limit", [](auto &f) { return f.timeLimit; }),
      fileDifference(all, &Fingerprint::data, "data"),
      fileDifference(all, &Fingerprint::inputs, "--input files"),
      fileDifference(all, &Fingerprint::evalData, "--eval-data"),
      fileDifference(all, &Fingerprint::evalInputs, "--eval-input files"),
      fileDifference(all, &Fingerprint::init, "initial weights"),
      fileDifference(all, &Fingerprint::adapter, "adapters"),
  };
  for (const std::string &difference : differences)
    if (!difference.empty())
      return difference;
  return "";
}

void zrt::compareFingerprints(World &world, const Fingerprint &mine) {
  std::vector<Fingerprint> all(static_cast<size_t>(world.size()));
  world.allGather(&mine, sizeof(mine), all.data());
  const std::string difference = disagreement(all);
  // All ranks see the same; the first one says it.
  if (!difference.empty())
    throw AgreedError(difference, /*printedElsewhere=*/world.rank() != 0);
}
