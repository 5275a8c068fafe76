//===- DigestFile.h - The file of --digest ----------------------*- C++ -*-===//
//
// A line of JSON describes the run: its ranks, its buckets, and what a replay
// must repeat, and the line's check.  Then follow the steps, all numbers
// little-endian:
//
//   u64  number of the step
//   4 x u64 for each rank, and in it for each bucket that is trained: the
//   checksums (runtime/hash/Checksum.h) of what the rank read, computed,
//   reduced and wrote (abi/zrt.h)
//   u32  check
//
// A check is the CRC-32 of the bytes before it, of the line or the step: a bit
// that changed in the file is no wrong bit of a rank.  A step is written at
// once, so only the last one can be incomplete; it does not count.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"
#include "runtime/files/LineFile.h"
#include "train/state/io/InputFile.h"
#include "train/state/io/Json.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace zrt {

/// Of the format; its line has it as "digest".
constexpr int kDigestVersion = 3;

/// Of a rank and a bucket, by ZRT_READ, ...
using Checksums = std::array<uint64_t, ZRT_DIGEST_COUNT>;

/// Reads a file.  All functions throw zrt::Error.
class DigestFile {
public:
  explicit DigestFile(const std::string &path);

  const nlohmann::json &header() const { return description; }
  uint32_t ranks() const { return rankCount; }
  int64_t first() const { return firstStep; } ///< the first step
  int64_t end() const { return firstStep + stepCount; }
  /// The checksums of a step in [first, end): of rank 0 all buckets, then of
  /// rank 1.  Throws zrt::Error if they are not as they were written.
  std::vector<Checksums> read(int64_t step) const;
  /// The bytes of the file up to a step.
  uint64_t bytesBefore(int64_t step) const {
    return headerBytes + uint64_t(step - firstStep) * stepBytes;
  }

private:
  void checkHeader();
  std::string bytesOf(uint64_t at, uint64_t bytes) const;

  const std::string path;
  const InputFile file;
  nlohmann::json description;
  uint32_t rankCount = 0;
  int64_t firstStep = 0, stepCount = 0;
  uint64_t headerBytes = 0, stepBytes = 0;
};

/// Writes a file, each step at once; errors as in LineFile.
class DigestWriter {
public:
  /// Begins with `header`, or goes on after the steps before `header`'s first
  /// if the file has them, from an equal run.
  void open(const std::string &path, const nlohmann::json &header,
            bool isForced = false);
  bool isOpen() const { return file.isOpen(); }
  void write(int64_t step, const std::vector<Checksums> &sums);
  void close() { file.close(); }
  void abandon() { file.abandon(); }

private:
  LineFile file{"digests", kDigestsFile};
};

} // namespace zrt
