//===- TokenFiles.h - Reads a text from several files -----------*- C++ -*-===//
#pragma once

#include "train/state/io/TokenData.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace zrt {

/// The files of `pattern`: `pattern` itself if such a file exists or if it
/// contains none of * ? [; else all matching files, sorted by name.  Throws
/// zrt::Error if no file matches.
std::vector<std::string> expandPattern(const std::string &pattern);

/// The sequences of several files in order; no sequence crosses a file's end.
/// All functions are those of TokenData.
class TokenFiles {
public:
  TokenFiles(const std::vector<std::string> &paths, TokenFormat format,
             int64_t length, uint64_t maxLater, bool isWide = false);

  uint64_t tokens() const { return sum(&TokenData::tokens); }
  uint64_t length() const { return files.front()->length(); }
  uint64_t sequences() const { return ends.back(); }
  /// The sequences of the first `files` files.
  uint64_t sequencesOf(size_t files) const {
    return files > 0 ? ends.at(files - 1) : 0;
  }
  /// The first file of plain text (TokenData::isText), or nullptr.
  const TokenData *firstText() const;
  uint64_t fileBytes() const { return sum(&TokenData::fileBytes); }
  /// "a.bin, raw uint16", or
  /// "3 files, a.bin to c.bin, raw uint16 and text bytes".
  std::string text() const;
  /// "raw uint16", or several with "and" between.
  std::string format() const;

  void check(const zrt_input &input, uint64_t later) const;
  void read(uint64_t sequence, uint64_t later, const zrt_input &input,
            std::byte *to) const;
  void mask(uint64_t sequence, int64_t separator, const zrt_input &input,
            std::byte *to) const;
  uint64_t count(int64_t token) const;

private:
  /// The file of a sequence; changes `sequence` to its number in that file.
  const TokenData &fileOf(uint64_t &sequence) const;
  uint64_t sum(uint64_t (TokenData::*number)() const) const;

  std::vector<std::unique_ptr<const TokenData>> files; ///< at least one
  std::vector<uint64_t> ends; ///< sequences of each file and all before it
};

} // namespace zrt
