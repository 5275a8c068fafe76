//===- MappedFile.h - A file read through the page cache --------*- C++ -*-===//
#ifndef ZRT_IO_MAPPED_FILE_H
#define ZRT_IO_MAPPED_FILE_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace zrt {

/// A whole regular file, mapped read-only.
class MappedFile {
public:
  /// Throws zrt::Error when `path` cannot be read or is not a regular file.
  explicit MappedFile(const std::string &path);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  /// nullptr for an empty file.  Not aligned for anything but bytes beyond the
  /// start of the file.
  const std::byte *data() const { return base; }
  uint64_t size() const { return bytes; }
  const std::string &path() const { return name; }

private:
  std::string name;
  const std::byte *base = nullptr;
  uint64_t bytes = 0;
};

} // namespace zrt

#endif // ZRT_IO_MAPPED_FILE_H
