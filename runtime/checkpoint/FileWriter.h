//===- FileWriter.h - Writes a rank's file beside the training --*- C++ -*-===//
//
// State is copied into staging, block by block, by several threads, and written
// from there by two others, in order:
//
//   the state     |b0|b1|b2|b3|b4|b5|...
//   copied               v  v            waits where staging has no free block
//   staging       |b3|b1|b2|             a ring of three
//   written           v                  hashed, past the page cache
//   the file      |header|b0|
//
// Where staging holds all of the file, copying waits for nothing, and the
// training goes on as soon as it is done.  A smaller ring works as well, and then
// the training waits for the drive.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/checkpoint/Faults.h"
#include "runtime/checkpoint/RankFile.h"
#include "runtime/checkpoint/Staging.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace zrt {

class FileWriter {
public:
  /// Starts to write `file` to `path`, which does not exist; all outlive this.
  FileWriter(const RankFile &file, const std::string &path,
             const Staging &staging, CheckpointFaults &faults);
  /// Waits for its threads.
  ~FileWriter();
  FileWriter(const FileWriter &) = delete;
  FileWriter &operator=(const FileWriter &) = delete;

  /// Copies all state, with so many threads; returns when it may change again.
  /// Throws what `memory` throws.
  void copy(const ParameterMemory &memory, int threads);

  struct Result {
    std::optional<std::string> failure;
    uint64_t headerHash = 0;
    std::vector<uint64_t> blocks; ///< their hashes
    double seconds = 0;           ///< until all was on the disk
  };
  /// Whether all is written and synced, or has failed.
  bool isDone() const;
  /// Waits for that.
  const Result &wait();

private:
  void copyBlocks(const ParameterMemory &memory);
  void work();
  void writeBlocks();
  /// The next block that is ready, or nothing when there are no more.
  std::optional<uint64_t> take();
  void open();
  void writeAt(const std::byte *data, uint64_t bytes, uint64_t offset);
  void writeBlock(uint64_t block);
  void finish();
  /// Runs a part of the work unless one has failed.
  template <typename Action>
  void attempt(Action action);

  const RankFile &file;
  const std::string path;
  const Staging &staging;
  CheckpointFaults &faults;
  const std::chrono::steady_clock::time_point start;

  mutable std::mutex mutex;
  std::condition_variable changed;
  std::vector<char> isCopied, isWritten; ///< by block
  uint64_t nextToCopy = 0, nextToWrite = 0;
  bool abandoned = false; ///< copying has failed
  bool done = false;
  Result result;

  int descriptor = -1;
  std::thread writer; ///< opens, writes with another one, and ends the file
};

} // namespace zrt
