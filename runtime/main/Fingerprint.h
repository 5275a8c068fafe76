//===- Fingerprint.h - Do all ranks train the same thing? -------*- C++ -*-===//
//
// Ranks on several hosts may be given another binary, other files, other
// options.  Training would then silently go wrong, or hang.  So each makes a
// fingerprint, and all compare them before the first step.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/main/Options.h"
#include "runtime/world/World.h"

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
};

/// What must be equal on all ranks.
struct Fingerprint {
  uint64_t program = 0;
  std::string options; ///< comparedOptions(), RankOptions.h
  /// What is in the files that the options name.
  struct Files {
    FileFingerprint data, inputs, init, adapter, evalData, evalInputs;
  } files;
};

/// The byte ranges [first, second) of a file that are hashed: the whole of a
/// small one, else the first 64 KiB, the last, and 64 spread between.
std::vector<std::pair<uint64_t, uint64_t>> sampledRanges(uint64_t bytes);

/// Throws zrt::Error when the file cannot be read.
FileFingerprint fingerprintOfFile(const std::string &path);

/// Of files that follow each other; of one as fingerprintOfFile.
FileFingerprint fingerprintOfFiles(const std::vector<std::string> &paths);

/// Of --data, with what is a source of --data-weights.
FileFingerprint fingerprintOfData(const TrainOptions &options);

/// Of all files of --input together, and of which input reads what in them.
FileFingerprint fingerprintOfInputs(
    const std::vector<std::pair<std::string, std::string>> &inputs);

/// Of this process.  Reads the program, --data, --input and --init.
Fingerprint fingerprintOf(const TrainOptions &options);

/// What the ranks disagree on, with the fix; "" when they agree.
std::string disagreement(const std::vector<Fingerprint> &all);

/// Throws on every rank when the fingerprints differ.
void compareFingerprints(World &world, const Fingerprint &mine);

} // namespace zrt
