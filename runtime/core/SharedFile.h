//===- SharedFile.h - Memory shared by the ranks of a host ------*- C++ -*-===//
//
// A memfd: a file without a name, which vanishes with the last process that has
// it open.  (Not /dev/shm, which containers limit to 64 MiB.)  A peer opens it
// as /proc/<process>/fd/<number> and maps it, by default only for reading.  Its
// size is sealed before any process maps it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/files/OpenFile.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace zrt {

/// The data that a peer needs to open a SharedFile; plain bytes, sent as they
/// are.  Device and inode tell the file from another file with the same number,
/// for example in another container.
struct SharedFileCard {
  int32_t process = 0;
  int32_t number = -1; ///< file descriptor; -1: there is no file
  uint64_t bytes = 0, device = 0, inode = 0;
};

/// The part of a device's memory that peers on this host may read.
struct ExportedMemory {
  SharedFileCard card;
  uint64_t begin = 0; ///< offset in the device arena of the file's first byte
};

class SharedFile {
public:
  /// Creates a file of `bytes` zeros; called once.  `name` appears only in
  /// /proc.  Throws zrt::Error.
  void create(const char *name, uint64_t bytes);
  int number() const { return file.number(); }
  SharedFileCard card() const;

private:
  OpenFile file;
  uint64_t bytes = 0;
};

/// Owns a mapping and unmaps it.
class Mapping {
public:
  Mapping() = default;
  Mapping(const Mapping &) = delete;
  Mapping &operator=(const Mapping &) = delete;
  ~Mapping();

  /// Maps this process's own `file` for reading and writing.  Throws
  /// zrt::Error.
  void mapOwn(const SharedFile &file);
  enum class Access { Read, Write };
  /// Maps a peer's file.  Returns "" on success, otherwise the reason.
  std::string mapPeers(const SharedFileCard &card,
                       Access access = Access::Read);

  std::byte *data() const { return base; }

private:
  std::byte *base = nullptr;
  uint64_t bytes = 0;
};

} // namespace zrt
