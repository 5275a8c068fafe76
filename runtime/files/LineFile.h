//===- LineFile.h - Appends lines to a file ---------------------*- C++ -*-===//
#pragma once

#include "runtime/files/OpenFile.h"
#include "runtime/files/OwnFiles.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace zrt {

/// Writes without a buffer, so that lines survive a crash of the process.
class LineFile {
public:
  /// `content` is for messages: "metrics".
  LineFile(std::string content, FileKind kind)
      : content(std::move(content)), kind(kind) {}

  /// Creates `path` (see OutputPath), or truncates it to its first `keep`
  /// bytes; to none only a file that may be replaced (OwnFiles.h).  Throws
  /// zrt::Error.
  void open(const std::string &path, uint64_t keep = 0, bool isForced = false);
  bool isOpen() const { return bool(file); }
  /// Appends whole lines; `part` names them in messages ("step 3").  On an
  /// error a regular file still ends with a whole line, and zrt::Error is
  /// thrown.
  void write(std::string_view lines, std::string_view part);
  /// Throws zrt::Error if the file system reports a late failure.
  void close();
  /// Closes the file and ignores errors.
  void abandon() { file = OpenFile(); }

private:
  const std::string content;
  const FileKind kind;
  std::string name;
  OpenFile file;
  bool isRegular = false;
  uint64_t written = 0;
};

} // namespace zrt
