//===- AtomicFile.h - A file that appears whole or not at all ---*- C++ -*-===//
#pragma once

#include "runtime/io/OutputPath.h"
#include "runtime/io/TemporaryFile.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace zrt {

/// Writes a TemporaryFile; `commit` puts it in the target's place.  Until then,
/// and after any failure, an older file at PATH is untouched and nothing else
/// remains.  A device or a FIFO is written as the data come, and once somebody
/// reads.  All throw zrt::Error.
class AtomicFile {
public:
  explicit AtomicFile(const std::string &path);
  /// Removes what was not committed.
  ~AtomicFile();
  AtomicFile(const AtomicFile &) = delete;
  AtomicFile &operator=(const AtomicFile &) = delete;

  /// Throws unless the disk has room for `bytes`, more than 0, now.
  void reserve(uint64_t bytes);
  void write(const void *data, size_t size);
  /// Writes `size` bytes at `offset` anew; not of a device or a FIFO.
  void overwrite(uint64_t offset, const void *data, size_t size);
  /// Makes the file and its name durable.
  void commit();

private:
  [[noreturn]] void failWith(const char *what);
  int descriptor() const {
    return temporary ? temporary->descriptor() : stream;
  }

  const OutputPath target;
  std::optional<TemporaryFile> temporary;
  int stream = -1;
};

/// Throws unless an AtomicFile of `bytes` bytes, more than 0, could be written
/// now.
void checkWritable(const std::string &path, uint64_t bytes);

} // namespace zrt
