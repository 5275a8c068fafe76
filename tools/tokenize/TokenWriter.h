//===- TokenWriter.h - Writes ids to a file for --data ----------*- C++ -*-===//
#pragma once

#include "runtime/io/AtomicFile.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace zrt {

/// The name determines the format, so that --data needs no --data-format:
///
///   NAME.bin   llm.c's header, then uint16, or uint32 for a vocabulary > 2^16
///   NAME.u16   uint16
///   NAME.u32   uint32
///
/// The file appears when it is complete.  All functions throw zrt::Error.
class TokenWriter {
public:
  /// Writes ids below `vocabulary`.
  TokenWriter(const std::string &path, uint64_t vocabulary);

  void add(std::span<const uint32_t> ids);
  void finish();

  uint64_t tokens() const { return count; }
  /// The training binary's name of the format: "raw uint16".
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

/// Returns true if a TokenWriter can write a file of that name.
bool isTokenFileName(const std::string &path);

} // namespace zrt
