//===- TokenWriter.h - Ids to a file that --data reads ----------*- C++ -*-===//
#pragma once

#include "runtime/io/AtomicFile.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace zrt {

/// What it writes follows from the name, so that --data needs no --data-format:
///
///   NAME.bin   llm.c's header, then uint16, or uint32 of a vocabulary above 2^16
///   NAME.u16   uint16
///   NAME.u32   uint32
///
/// The file appears when it is complete.  All throw zrt::Error.
class TokenWriter {
public:
  /// Of ids below `vocabulary`.
  TokenWriter(const std::string &path, uint64_t vocabulary);

  void add(std::span<const uint32_t> ids);
  void finish();

  uint64_t tokens() const { return count; }
  /// As the training binary says it: "raw uint16".
  const char *formatName() const;

private:
  void flush();
  void writeHeader(uint64_t tokens);

  const std::string path;
  const uint64_t vocabulary;
  bool hasHeader = false, isWide = false;
  AtomicFile file;
  std::vector<std::byte> buffer;
  uint64_t count = 0;
};

/// Whether a TokenWriter writes files of that name.
bool isTokenFileName(const std::string &path);

} // namespace zrt
