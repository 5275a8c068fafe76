//===- Fingerprint.h - Compares what the ranks train ------------*- C++ -*-===//
//
// Ranks on several hosts may have different binaries, files or options.
// Training would then silently go wrong, or hang.  So each rank computes a
// fingerprint, and all compare them before the first step.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/world/World.h"
#include "train/options/Options.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace zrt {

/// Size and content of a file; of a large one, a sample of its content.
struct FileFingerprint {
  uint64_t bytes = 0;
  uint64_t hash = 0;
  bool operator==(const FileFingerprint &) const = default;

  /// Adds what is read beside the content of files.
  void add(const void *data, uint64_t size);
  /// Adds another file.
  void add(const FileFingerprint &file);
};

/// The properties of a run that must be equal on all ranks.
struct Fingerprint {
  uint64_t program = 0;
  std::string options; ///< CommandLine::compared()
  /// The contents of the files that the options name.
  struct Files {
    FileFingerprint data, inputs, init, adapter, evalData, evalInputs;
  } files;
};

/// The byte ranges [first, second) of a file that are hashed: all of a small
/// file, else the first 64 KiB, the last 64 KiB, and 64 such blocks between.
std::vector<std::pair<uint64_t, uint64_t>> sampledRanges(uint64_t bytes);

/// Throws zrt::Error when the file cannot be read.
FileFingerprint fingerprintOfFile(const std::string &path);

/// The fingerprint of files in this order; of a single file, the same as
/// fingerprintOfFile.
FileFingerprint fingerprintOfFiles(const std::vector<std::string> &paths);

/// The fingerprint of --data, including how --data-weights divides it into
/// sources.
FileFingerprint fingerprintOfData(const TrainOptions &options);

/// The fingerprint of all files of --input, including which input reads which
/// tensor of them.
FileFingerprint fingerprintOfInputs(
    const std::vector<std::pair<std::string, std::string>> &inputs);

/// The fingerprint of this process.  Reads the program, --data, --input and
/// --init.
Fingerprint fingerprintOf(const TrainOptions &options);

/// Describes the first difference between ranks and its fix; "" if there is
/// none.
std::string disagreement(const std::vector<Fingerprint> &all);

/// Throws on every rank when the fingerprints differ.
void compareFingerprints(World &world, const Fingerprint &mine);

} // namespace zrt
