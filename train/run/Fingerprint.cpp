//===- Fingerprint.cpp - Compares what the ranks train --------------------===//
#include "train/run/Fingerprint.h"

#include "runtime/hash/ContentHash.h"
#include "runtime/world/Agree.h"
#include "train/report/Report.h"
#include "train/state/io/AdapterFolder.h"
#include "train/state/io/InputFile.h"
#include "train/state/io/SampleFile.h"
#include "train/state/io/WeightFiles.h"

#include <algorithm>
#include <map>

using namespace zrt;

namespace {

constexpr uint64_t kBlock = uint64_t{64} << 10;
constexpr uint64_t kSpread = 64;

/// The ranks whose `field` differs from rank 0's.
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
                           FileFingerprint Fingerprint::Files::*file,
                           const char *what) {
  const auto others = othersThan0(all, [&](auto &f) { return f.files.*file; });
  if (others.ranks.empty())
    return "";
  const uint64_t theirs = (all[others.ranks[0]].files.*file).bytes;
  const uint64_t ours = (all[0].files.*file).bytes;
  return fmt::format(
      "{} other {} than rank 0: {}; give every rank the same file",
      others.say("has", "have"), what,
      theirs == ours
          ? fmt::format("{}, but not the same", shownBytes(ours))
          : fmt::format("{} against {}", shownBytes(theirs), shownBytes(ours)));
}

/// The line of option `name` in `lines`, or "".
std::string_view optionLine(std::string_view lines, std::string_view name) {
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    if (line.substr(0, line.find('=')) == name)
      return line;
    lines.remove_prefix(line.size() + 1);
  }
  return "";
}

/// The first option in which `lines` differ from `others`, or "".
std::string_view firstDifference(std::string_view lines,
                                 std::string_view others) {
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n')),
                           name = line.substr(0, line.find('='));
    if (optionLine(others, name) != line)
      return name;
    lines.remove_prefix(line.size() + 1);
  }
  return "";
}

std::string optionDifference(const std::vector<Fingerprint> &all) {
  const auto anyOthers = othersThan0(all, [](auto &f) { return f.options; });
  if (anyOthers.ranks.empty())
    return "";
  const std::string &ours = all[0].options,
                    &theirs = all[anyOthers.ranks[0]].options;
  std::string_view name = firstDifference(ours, theirs);
  if (name.empty())
    name = firstDifference(theirs, ours);
  const auto others =
      othersThan0(all, [&](auto &f) { return optionLine(f.options, name); });
  const std::string_view here = optionLine(ours, name),
                         there = optionLine(theirs, name);
  constexpr const char *kSame = "give every rank the same options";
  if (here.empty())
    return fmt::format("{} started with {}, but rank 0 without it; {}",
                       others.say("is", "are"), shown(there), kSame);
  if (there.empty())
    return fmt::format("{} started without {}, but rank 0 with {}; {}",
                       others.say("is", "are"), name,
                       here == name ? "it" : shown(here), kSame);
  return fmt::format("{} {}, but rank 0 has {}; {}", others.say("has", "have"),
                     shown(there), shown(here), kSame);
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
  // Block i starts at i / (blocks - 1) of the way to the last one.  Dividing
  // first avoids an overflow.
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

void FileFingerprint::add(const void *data, uint64_t size) {
  hash = contentHash(static_cast<const std::byte *>(data), size, hash);
}

void FileFingerprint::add(const FileFingerprint &file) {
  add(&file, sizeof(file));
  bytes += file.bytes;
}

FileFingerprint zrt::fingerprintOfFiles(const std::vector<std::string> &paths) {
  if (paths.size() == 1)
    return fingerprintOfFile(paths.front());
  FileFingerprint all;
  for (const std::string &path : paths)
    all.add(fingerprintOfFile(path));
  return all;
}

FileFingerprint zrt::fingerprintOfData(const TrainOptions &options) {
  FileFingerprint all = fingerprintOfFiles(options.data);
  for (const DataSource &source : options.sources) {
    const uint64_t files = source.files;
    all.add(&files, sizeof(files));
  }
  return all;
}

FileFingerprint zrt::fingerprintOfInputs(
    const std::vector<std::pair<std::string, std::string>> &inputs) {
  FileFingerprint all;
  // Sorted by name, so that the order on the command line does not count.
  for (const auto &[name, place] : std::map(inputs.begin(), inputs.end())) {
    const std::string file = fileOfPlace(place),
                      tensor = place.substr(file.size());
    all.add(name.data(), name.size());
    all.add(tensor.data(), tensor.size());
    all.add(fingerprintOfFile(file));
  }
  return all;
}

Fingerprint zrt::fingerprintOf(const TrainOptions &options) {
  Fingerprint f;
  const InputFile program("/proc/self/exe");
  f.program = hashOf(program, 0, program.size(), 0);
  f.options = options.compared;
  if (!options.data.empty())
    f.files.data = fingerprintOfData(options);
  f.files.inputs = fingerprintOfInputs(options.inputs);
  if (!options.eval.data.empty())
    f.files.evalData = fingerprintOfFiles(options.eval.data);
  f.files.evalInputs = fingerprintOfInputs(options.eval.inputs);
  if (!options.init.empty())
    f.files.init = fingerprintOfFiles(weightFiles(options.init));
  if (!options.adapter.empty())
    f.files.adapter =
        fingerprintOfFiles({options.adapter + "/" + kAdapterFile});
  return f;
}

std::string zrt::disagreement(const std::vector<Fingerprint> &all) {
  const auto programs = othersThan0(all, [](auto &f) { return f.program; });
  if (!programs.ranks.empty())
    return programs.say("runs", "run") +
           " another program than rank 0; copy one binary to every host";
  using Files = Fingerprint::Files;
  // Options decide which files are read and how, so they come first.
  const std::string differences[] = {
      optionDifference(all),
      fileDifference(all, &Files::data, "data"),
      fileDifference(all, &Files::inputs, "--input files"),
      fileDifference(all, &Files::evalData, "--eval-data"),
      fileDifference(all, &Files::evalInputs, "--eval-input files"),
      fileDifference(all, &Files::init, "initial weights"),
      fileDifference(all, &Files::adapter, "adapters"),
  };
  for (const std::string &difference : differences)
    if (!difference.empty())
      return difference;
  return "";
}

void zrt::compareFingerprints(World &world, const Fingerprint &mine) {
  struct Card {
    uint64_t program, optionBytes;
    Fingerprint::Files files;
  };
  const Card card = {mine.program, mine.options.size(), mine.files};
  const std::vector<Card> cards = world.gather(card);
  uint64_t most = 1;
  for (const Card &one : cards)
    most = std::max(most, one.optionBytes);
  std::string options = mine.options;
  options.resize(most);
  std::string texts(most * cards.size(), '\0');
  world.allGather(options.data(), most, texts.data());
  std::vector<Fingerprint> all;
  all.reserve(cards.size());
  for (const Card &one : cards)
    all.push_back({one.program,
                   texts.substr(all.size() * most, one.optionBytes),
                   one.files});
  const std::string difference = disagreement(all);
  // All ranks find the same difference; rank 0 prints it.
  if (!difference.empty())
    throw AgreedError(difference, /*printedElsewhere=*/world.rank() != 0);
}
