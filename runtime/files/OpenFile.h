//===- OpenFile.h - Owns an open file ---------------------------*- C++ -*-===//
#pragma once

#include <cerrno>
#include <unistd.h>
#include <utility>

namespace zrt {

/// Owns an open file or socket and closes it, without a change of errno.
class OpenFile {
public:
  explicit OpenFile(int number = -1) : file(number) {}
  ~OpenFile() {
    if (file < 0)
      return;
    const int number = errno;
    ::close(file);
    errno = number;
  }
  OpenFile(OpenFile &&other) noexcept : file(std::exchange(other.file, -1)) {}
  OpenFile &operator=(OpenFile &&other) noexcept {
    std::swap(file, other.file);
    return *this;
  }

  /// The descriptor; negative if nothing is open.
  int number() const { return file; }
  explicit operator bool() const { return file >= 0; }
  /// Closes the file, which must be open.  Returns false with errno if the
  /// system reports a late failure.
  bool close() { return ::close(std::exchange(file, -1)) == 0; }

private:
  int file;
};

} // namespace zrt
