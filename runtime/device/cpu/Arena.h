//===- Arena.h - The bytes of one tier --------------------------*- C++ -*-===//
//
// One range of addresses, made before the first step and zero at start.  A step
// never allocates: it names bytes by their offset in here.
//
//   0                          exportedBegin                 bytes
//   | private and anonymous    | a shared file, peers read it |
//
//===----------------------------------------------------------------------===//
#ifndef ZRT_DEVICE_CPU_ARENA_H
#define ZRT_DEVICE_CPU_ARENA_H

#include "runtime/core/SharedFile.h"

#include <cstddef>
#include <cstdint>

namespace zrt {

class Arena {
public:
  Arena() = default;
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;
  ~Arena();

  /// Maps `bytes` zero bytes for `tier`, once; those from `exportedBegin` on, a
  /// multiple of 4096, for peers too.  Throws zrt::Error.
  void allocate(uint64_t bytes, uint32_t tier,
                uint64_t exportedBegin = UINT64_MAX);

  std::byte *data() const { return base; }
  /// What was asked for; the mapping is rounded up to whole pages.
  uint64_t size() const { return bytes; }

  /// The exported bytes; the card is empty when there are none, and the file's
  /// first byte may lie before exportedBegin.
  ExportedMemory exported() const { return {file.card(), fileBegin}; }

private:
  void exportFrom(uint64_t begin, const char *name);

  std::byte *base = nullptr;
  uint64_t bytes = 0;
  uint64_t mapped = 0;
  SharedFile file;
  uint64_t fileBegin = 0;
};

} // namespace zrt

#endif // ZRT_DEVICE_CPU_ARENA_H
