//===- TextFile.h - A file that is read sequentially ------------*- C++ -*-===//
#pragma once

#include <cstddef>
#include <string>
#include <zlib.h>

namespace zrt {

/// A file or a pipe; NAME.gz is decompressed, and a byte order mark at its
/// beginning left out.  All functions throw zrt::Error.
class TextFile {
public:
  explicit TextFile(const std::string &path);
  ~TextFile();
  TextFile(const TextFile &) = delete;
  TextFile &operator=(const TextFile &) = delete;

  /// Appends some bytes to `text`; returns false at the end.
  bool readMore(std::string &text);

private:
  size_t readInto(char *to, size_t size);

  const std::string path;
  int descriptor = -1;
  bool isBegun = false;
  gzFile packed = nullptr; ///< owns the descriptor
};

} // namespace zrt
