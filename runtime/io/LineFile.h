//===- LineFile.h - A file that grows line by line --------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace zrt {

/// What is written to it is in the file at once, whatever becomes of the
/// process.
class LineFile {
public:
  /// `content` is for messages: "metrics".
  explicit LineFile(std::string content) : content(std::move(content)) {}
  ~LineFile();
  LineFile(const LineFile &) = delete;
  LineFile &operator=(const LineFile &) = delete;

  /// Creates `path`, which OutputPath describes, or cuts it to its first `keep`
  /// bytes.  Throws zrt::Error.
  void open(const std::string &path, uint64_t keep = 0);
  bool isOpen() const { return file >= 0; }
  /// Appends whole lines, those of `part` ("step 3", for messages).  Throws
  /// zrt::Error when they could not be written; a file then still ends with a
  /// whole line.
  void write(std::string_view lines, std::string_view part);
  /// Throws zrt::Error when the file system reports a late failure.
  void close();
  /// Closes it after a failure, whatever becomes of that.
  void abandon();

private:
  const std::string content;
  std::string name;
  int file = -1;
  bool isRegular = false;
  uint64_t written = 0;
};

} // namespace zrt
