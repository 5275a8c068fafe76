//===- InputFile.h - A file that is read in pieces --------------*- C++ -*-===//
//
// A mapping would be simpler to use, and would end the process without a word
// (SIGBUS) when somebody cuts the file.  A read that comes back short can be
// reported like any other error.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>

namespace zrt {

/// A regular file, open for reading.
class InputFile {
public:
  /// Throws zrt::Error when `path` cannot be read or is not a regular file,
  /// which it says at once: nobody waits for the other end of a FIFO.
  explicit InputFile(const std::string &path);
  ~InputFile();
  InputFile(const InputFile &) = delete;
  InputFile &operator=(const InputFile &) = delete;

  /// Copies the `bytes` bytes from `offset` on, which lie inside `size`.  Any
  /// thread.  Throws zrt::Error, above all when the file has been cut since it
  /// was opened.
  void read(uint64_t offset, void *to, uint64_t bytes) const;

  /// When it was opened.
  uint64_t size() const { return bytes; }
  const std::string &path() const { return name; }

private:
  const std::string name;
  int file = -1;
  uint64_t bytes = 0;
};

} // namespace zrt
