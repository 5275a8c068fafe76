//===- FileWriter.h - Writes a rank's file during training ------*- C++ -*-===//
//
// Several threads copy state into staging, block by block, and two others write
// it from there, in order:
//
//   the state     |b0|b1|b2|b3|b4|b5|...
//   copied               v  v            waits until staging has a free block
//   staging       |b3|b1|b2|             a ring of three
//   written           v                  hashed, written with O_DIRECT
//   the file      |header|b0|
//
// If staging holds all of the file, copying never waits, and the training
// continues as soon as the copy is done.  With a smaller ring the training
// waits for the drive.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/files/OpenFile.h"
#include "train/state/checkpoint/Faults.h"
#include "train/state/checkpoint/RankFile.h"
#include "train/state/checkpoint/Staging.h"

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
  /// Starts to write `file` to `path`, which must not exist.  All arguments
  /// must outlive this.
  FileWriter(const RankFile &file, const std::string &path,
             const Staging &staging, CheckpointFaults &faults);
  /// Waits for its threads.
  ~FileWriter();
  FileWriter(const FileWriter &) = delete;
  FileWriter &operator=(const FileWriter &) = delete;

  /// Copies all state with so many threads; afterwards the state may change.
  /// Throws what `memory` throws.
  void copy(const ParameterMemory &memory, int threads);

  struct Result {
    std::optional<std::string> failure;
    uint64_t headerHash = 0;
    std::vector<uint64_t> blocks; ///< hashes of the blocks
    double seconds = 0;           ///< from the start until all was on the disk
  };
  /// Returns true once the file is written and synced, or has failed.
  bool isDone() const;
  /// Waits until isDone().
  const Result &wait();

private:
  void copyBlocks(const ParameterMemory &memory);
  void work();
  void writeBlocks();
  /// Waits for the next block that is copied; nullopt if there are no more.
  std::optional<uint64_t> take();
  void open();
  void writeAt(const std::byte *data, uint64_t bytes, uint64_t offset);
  void writeBlock(uint64_t block);
  void finish();
  /// Runs a part of the work unless an earlier part has failed; records its
  /// error.
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
  bool abandoned = false; ///< copying has failed, or this is destroyed
  bool done = false;
  Result result;

  OpenFile output;
  std::thread writer; ///< opens the file, writes it together with a second
                      ///< thread, and finishes it
};

} // namespace zrt
