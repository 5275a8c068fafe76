//===- InputFile.h - Reads a file in pieces ---------------------*- C++ -*-===//
//
// A mapping would be simpler to use, but if the file is truncated, an access
// ends the process without a message (SIGBUS).  A short read can be reported
// like any other error.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/files/OpenFile.h"

#include <cstdint>
#include <string>

namespace zrt {

/// A regular file, open for reading.
class InputFile {
public:
  /// Throws zrt::Error if `path` cannot be read or is not a regular file.
  /// Never waits, not even for a FIFO.
  explicit InputFile(const std::string &path);

  /// Copies the `bytes` bytes from `offset` on, which must lie inside `size`.
  /// Any thread.  Throws zrt::Error, for example if the file has been truncated
  /// since it was opened.
  void read(uint64_t offset, void *to, uint64_t bytes) const;

  /// The size at the time of opening.
  uint64_t size() const { return bytes; }
  const std::string &path() const { return name; }

private:
  const std::string name;
  const OpenFile file;
  uint64_t bytes = 0;
};

} // namespace zrt
