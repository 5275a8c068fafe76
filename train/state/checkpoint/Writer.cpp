//===- Writer.cpp - Writes checkpoints during training --------------------===//
#include "train/state/checkpoint/Writer.h"

#include "runtime/files/OutputPath.h"
#include "runtime/system/Clock.h"
#include "runtime/system/Memory.h"
#include "runtime/system/StartThread.h"
#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"
#include "runtime/world/Agree.h"
#include "runtime/world/Process.h"
#include "train/state/checkpoint/Reader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace zrt;

namespace {

/// Enough staging to keep a drive busy while state is read from another.
constexpr uint64_t kStreamed = ZRT_CHECKPOINT_STREAMED;
/// The pause between two votes of finish().
constexpr std::chrono::milliseconds kNap{2};

/// The memory of a rank, in bytes.
struct MemoryCard {
  uint64_t host = 0, freeBytes = 0, reserved = 0, wanted = 0, fileBytes = 0;
};

/// A rank's message in a vote.
struct Vote {
  bool done = false;
  double seconds = 0; ///< of writing
  Ballot ballot;
};

/// The temporary folder that rank 0 has made.
struct Name {
  std::array<char, 4096> path = {};
};

/// The part of a FileRecord that rank 0 receives before the hashes.
struct RecordHead {
  uint64_t bytes, headerBytes, headerHash, blocks;
};

} // namespace

CheckpointWriter::CheckpointWriter(World &world, const State &state,
                                   const WriterSettings &settings,
                                   CheckpointFolder *folder)
    : world(world), state(state), keep(settings.keep),
      keepsBest(settings.keepsBest), threads(settings.threads), folder(folder),
      faults(world.rank()) {
  together(world, [&] {
    shares = shareState(state, world.size());
    file = layOut(state, shares[size_t(world.rank())]);
  });
  planMemory(settings);
  together(world, [&] {
    staging = std::make_unique<Staging>(wanted);
    if (folder && folder->freeBytes() < allBytes)
      fail("there is no room for a checkpoint in {}: it takes {}, and {} "
           "are free; make room, or choose another --checkpoint",
           folder->path(), shownBytes(allBytes),
           shownBytes(folder->freeBytes()));
  });
}

CheckpointWriter::~CheckpointWriter() {
  if (ender.joinable())
    ender.join();
  writer.reset();
  if (folder && phase == Phase::Writing)
    folder->discard(temporary);
}

void CheckpointWriter::planMemory(const WriterSettings &settings) {
  uint64_t streamed = 0;
  for (const StateRange &range : file.ranges)
    if (range.at.tier == ZRT_NVME)
      streamed += range.bytes();
  wanted = std::min(file.dataBytes,
                    file.dataBytes - streamed + std::min(streamed, kStreamed));
  const MemoryCard mine = {hostIdentity(), availableMemory().bytes,
                           settings.reserved, wanted, file.bytes()};
  // Sum up what the ranks of this host will take from its free memory.
  uint64_t reserved = 0, staged = 0;
  for (const MemoryCard &card : world.gather(mine)) {
    allBytes += card.fileBytes;
    if (card.host != mine.host)
      continue;
    reserved += card.reserved;
    staged += card.wanted;
  }
  const bool fits = settings.memory != 0 ? wanted <= settings.memory
                                         : staged + reserved <= mine.freeBytes;
  if (!fits)
    wanted = std::min(wanted, settings.memory != 0
                                  ? std::max(settings.memory, kCheckpointBlock)
                                  : kStreamed);
  if (fits)
    wanted += kCheckpointBlock - 1;
  wanted = std::max(wanted / kCheckpointBlock, uint64_t{1}) * kCheckpointBlock;
  isBounded =
      std::ranges::count(world.gather(char(wanted < file.dataBytes)), 1) > 0;
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

void CheckpointWriter::save(const RunPosition &run,
                            const ParameterMemory &memory) {
  finish();
  const Stopwatch watch(exposed);
  begin(run, memory);
}

void CheckpointWriter::begin(const RunPosition &run,
                             const ParameterMemory &memory) {
  // Rank 0 makes the folder and sends its path.
  std::optional<std::string> refused;
  Name mine;
  if (folder)
    try {
      temporary = folder->begin(run.step);
      if (temporary.size() >= mine.path.size())
        fail("the name {} is too long", temporary);
      temporary.copy(mine.path.data(), mine.path.size() - 1);
    } catch (const Error &error) {
      refused = error.what();
    }
  const std::vector<Name> names = world.gather(mine);
  try {
    agree(world, refused);
  } catch (const AgreedError &error) {
    failure = fmt::format("checkpoint of step {}: {}", run.step,
                          refused.value_or(error.what()));
    return;
  }
  temporary = names[0].path.data();
  manifest = {};
  manifest.run = run;
  (void)faults.reach("copy");
  writer = std::make_unique<FileWriter>(
      file, temporary + "/" + rankFileName(world.rank()), *staging, faults);
  phase = Phase::Writing;
  writer->copy(memory, threads);
}

void CheckpointWriter::look() {
  if (phase == Phase::Idle)
    return;
  const Stopwatch watch(exposed);
  vote();
}

void CheckpointWriter::finish() {
  const Stopwatch watch(exposed);
  while (phase != Phase::Idle) {
    vote();
    if (phase != Phase::Idle)
      std::this_thread::sleep_for(kNap);
  }
}

std::optional<int64_t> CheckpointWriter::abandon() {
  if (phase != Phase::Writing) {
    finish();
    return std::nullopt;
  }
  writer.reset();
  world.barrier(); // before its folder is removed
  giveUp("");
  failure.reset();
  return manifest.run.step;
}

void CheckpointWriter::vote() {
  Vote mine;
  if (phase == Phase::Writing && writer->isDone()) {
    mine.done = true;
    mine.seconds = writer->wait().seconds;
    mine.ballot = ballotOf(writer->wait().failure);
  } else if (phase == Phase::Ending) {
    // Only rank 0 works in this phase.
    mine.done = !folder || ended;
    mine.ballot = ballotOf(folder && ended ? endFailure : std::nullopt);
  }
  const std::vector<Vote> all = world.gather(mine);
  if (!std::ranges::all_of(all, &Vote::done))
    return;
  for (size_t rank = 0; rank < all.size(); ++rank)
    if (all[rank].ballot.failed)
      return giveUp(
          all.size() > 1 && phase == Phase::Writing
              ? fmt::format("rank {}: {}", rank, all[rank].ballot.message)
              : all[rank].ballot.message);
  if (phase == Phase::Writing) {
    lastWriting = 0;
    for (const Vote &vote : all)
      lastWriting = std::max(lastWriting, vote.seconds);
    return collect();
  }
  if (ender.joinable())
    ender.join();
  phase = Phase::Idle;
  ++count;
  writing += lastWriting;
}

void CheckpointWriter::giveUp(const std::string &why) {
  if (ender.joinable())
    ender.join();
  writer.reset();
  if (folder)
    folder->discard(temporary);
  phase = Phase::Idle;
  failure = fmt::format("checkpoint of step {}: {}", manifest.run.step, why);
}

std::optional<std::string> CheckpointWriter::takeFailure() {
  return std::exchange(failure, std::nullopt);
}

//===----------------------------------------------------------------------===//
// The end of a checkpoint
//===----------------------------------------------------------------------===//

void CheckpointWriter::collect() {
  const FileWriter::Result &written = writer->wait();
  const FileRecord own = {rankFileName(world.rank()), file.bytes(),
                          file.header.size(), written.headerHash,
                          written.blocks};
  writer.reset();
  phase = Phase::Ending;
  if (!folder) {
    const RecordHead head = {own.bytes, own.headerBytes, own.headerHash,
                             own.blocks.size()};
    world.send(0, &head, sizeof(head));
    world.send(0, own.blocks.data(), own.blocks.size() * sizeof(uint64_t));
    return;
  }
  manifest.files.push_back(own);
  for (int rank = 1; rank < world.size(); ++rank) {
    RecordHead head = {};
    world.receive(rank, &head, sizeof(head));
    FileRecord record = {rankFileName(rank), head.bytes, head.headerBytes,
                         head.headerHash, std::vector<uint64_t>(head.blocks)};
    world.receive(rank, record.blocks.data(), head.blocks * sizeof(uint64_t));
    manifest.files.push_back(std::move(record));
  }
  ended = false;
  endFailure.reset();
  try {
    ender = startThread("a thread that ends a checkpoint", [this] { end(); });
  } catch (const Error &) {
    end();
  }
}

void CheckpointWriter::end() {
  try {
    writeManifest();
    // A checkpoint that our own reader rejects must not replace another.
    (void)CheckpointReader(temporary);
    folder->commit(temporary, manifest.run.step, faults);
    if (keep > 0)
      folder->keepNewest(
          keep, faults,
          keepsBest && manifest.run.best ? manifest.run.best->step : -1);
  } catch (const std::exception &error) {
    endFailure = error.what();
  }
  ended = true;
}

void CheckpointWriter::writeManifest() {
  manifest.worldSize = uint32_t(world.size());
  manifest.base = state.base;
  for (const Parameter &parameter : state.slots.front().parameters)
    manifest.parameters.push_back(
        {parameter.name, parameter.shape, parameter.frozen, parameter.packing,
         parameter.tensor,
         parameter.tensor.empty() ? zrt_dtype(0) : parameter.dtype});
  for (uint32_t rank = 0; rank < shares.size(); ++rank)
    for (const StateRange &range : shares[rank]) {
      const Slot &slot = state.slots[range.slot];
      manifest.tensors.push_back({slot.name,
                                  slot.parameters[range.parameter].name,
                                  range.first, range.count, range.dtype, rank});
    }
  const std::string text = manifestText(manifest);
  const std::string path = temporary + "/" + std::string(kManifestName);
  const int to = open(
      path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (to < 0)
    fail("cannot write {}: {}", path, errnoText());
  const size_t half = text.size() / 2;
  bool ok = writeAll(to, text.data(), half);
  const int injected = faults.reach("manifest");
  ok = ok && injected == 0 &&
       writeAll(to, text.data() + half, text.size() - half) && fsync(to) == 0;
  const int number = injected ? injected : errno;
  if (close(to) != 0 || !ok)
    fail("cannot write {}: {}", path, errnoText(ok ? errno : number));
  if (!syncFolder(temporary))
    fail("cannot sync {}: {}", temporary, errnoText());
}
