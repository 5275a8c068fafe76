//===- OutputPath.h - Classifies the path of an output ----------*- C++ -*-===//
//
// The kind of file at a path decides how it is written:
//
//   nothing            a new file, with the mode that the umask leaves
//   a regular file     is replaced or truncated; its mode and owner stay, and
//                      links to it are followed
//   a device, a FIFO   is written directly
//   anything else      is an error: a folder, a socket, or a dangling link
//                      (its owner could choose which file gets written)
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <sys/stat.h>

namespace zrt {

class OutputPath {
public:
  /// Examines the path and changes nothing.  Throws zrt::Error if it can never
  /// be written; also for an old file that is not writable, even if its folder
  /// is.
  explicit OutputPath(const std::string &path);

  /// The path after following all links.
  const std::string &path() const { return real; }
  std::string folder() const;
  std::string name() const;
  bool isNew() const { return !exists; }
  bool isStream() const { return exists && !S_ISREG(info.st_mode); }
  /// The status of the existing file.
  const struct stat &status() const { return info; }

  /// Opens the path for writing, an old file at its end, and returns the
  /// descriptor.  Throws zrt::Error; also for a FIFO without a reader, unless
  /// `awaitReader`.
  int open(bool awaitReader = false) const;

private:
  std::string real;
  bool exists = false;
  struct stat info = {};
};

/// Returns true if both paths name the same file, or would after its creation.
/// Returns false for character devices, which can be shared.
bool isSameFile(const std::string &path, const std::string &other);
/// Returns true if `path` names the regular file that is open as `descriptor`.
bool isOpenAs(const std::string &path, int descriptor);
/// Makes the names in a folder durable.  Returns false with errno on failure.
bool syncFolder(const std::string &folder);

/// Writes all `size` bytes.  Returns false with errno on failure.
bool writeAll(int descriptor, const void *data, size_t size);

} // namespace zrt
