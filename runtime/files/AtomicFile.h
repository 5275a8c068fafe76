//===- AtomicFile.h - Replaces a file atomically ----------------*- C++ -*-===//
#pragma once

#include "runtime/files/OpenFile.h"
#include "runtime/files/OutputPath.h"
#include "runtime/files/TemporaryFile.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zrt {

/// Writes a TemporaryFile; `commit` renames it to the target.  Until then, and
/// after any failure, an older file at PATH is unchanged and no other file
/// remains.  A device or a FIFO is written directly; opening a FIFO waits for a
/// reader.  All functions throw zrt::Error.
class AtomicFile {
public:
  /// Its end removes the temporary file unless it was committed.
  explicit AtomicFile(const std::string &path);

  /// Throws unless the disk now has room for `bytes` (> 0).
  void reserve(uint64_t bytes);
  void write(const void *data, size_t size);
  /// Makes the file and its name durable.
  void commit();

private:
  [[noreturn]] void failWith(const char *what);
  int descriptor() const {
    return temporary ? temporary->descriptor() : stream.number();
  }

  const OutputPath target;
  std::optional<TemporaryFile> temporary;
  OpenFile stream;
};

/// Replaces the file by `text`.  Throws zrt::Error.
void replaceFile(const std::string &path, std::string_view text);

/// Throws unless an AtomicFile of `bytes` (> 0) could be written now.
void checkWritable(const std::string &path, uint64_t bytes);

} // namespace zrt
