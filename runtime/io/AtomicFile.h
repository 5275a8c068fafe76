//===- AtomicFile.h - A file that appears whole or not at all ---*- C++ -*-===//
#ifndef ZRT_IO_ATOMIC_FILE_H
#define ZRT_IO_ATOMIC_FILE_H

#include <cstddef>
#include <string>

namespace zrt {

/// Writes `PATH.tmp.<pid>` beside the target; `commit` renames it.  Until then,
/// and after any failure, an older file at PATH is untouched and nothing else
/// remains.  All throw zrt::Error.
class AtomicFile {
public:
  explicit AtomicFile(const std::string &path);
  /// Removes what was not committed.
  ~AtomicFile();
  AtomicFile(const AtomicFile &) = delete;
  AtomicFile &operator=(const AtomicFile &) = delete;

  void write(const void *data, size_t size);
  /// Makes the file and its name durable.
  void commit();

private:
  [[noreturn]] void failWith(const char *what);

  std::string target; ///< symbolic links followed
  std::string temporary;
  int file = -1;
};

/// Throws unless an AtomicFile for `path` could be made now.
void checkWritable(const std::string &path);

} // namespace zrt

#endif // ZRT_IO_ATOMIC_FILE_H
