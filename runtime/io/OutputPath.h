//===- OutputPath.h - Where an output goes ----------------------*- C++ -*-===//
//
// What a path names decides how it is written:
//
//   nothing            a new file, with the mode that the umask leaves
//   a regular file     another one takes its place, or it is emptied; its mode
//                      and owner stay, and links that lead to it are followed
//   a device, a FIFO   is written through
//   anything else      is refused: a folder, a socket, a link to nothing (who
//                      has put it there may want to choose what is written)
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <sys/stat.h>

namespace zrt {

class OutputPath {
public:
  /// Looks, and changes nothing.  Throws zrt::Error when this can never be
  /// written: also an old file that may not be written, whatever its folder
  /// permits.
  explicit OutputPath(const std::string &path);

  /// A file's own path, after all links are followed.
  const std::string &path() const { return real; }
  std::string folder() const;
  std::string name() const;
  bool isNew() const { return !exists; }
  bool isStream() const { return exists && !S_ISREG(info.st_mode); }
  /// Of what exists.
  const struct stat &status() const { return info; }

  /// Opens it for writing as it is, a new file or an old one at its end; the
  /// descriptor.  Throws zrt::Error, for a FIFO that nobody reads unless it is
  /// to wait for a reader.
  int open(bool awaitReader = false) const;

private:
  std::string real;
  bool exists = false;
  struct stat info = {};
};

/// Whether writing to one would spoil the other: both name the same file, or
/// would once it is made.  A device can be shared.
bool isSameFile(const std::string &path, const std::string &other);
/// Whether `path` names the regular file that is open as `descriptor`.
bool isOpenAs(const std::string &path, int descriptor);

/// Writes all of `size` bytes.  False, with errno, when that fails.
bool writeAll(int descriptor, const void *data, size_t size);

} // namespace zrt
