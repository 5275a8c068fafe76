//===- Arena.h - The memory of one tier -------------------------*- C++ -*-===//
//
// One range of addresses, allocated before the first step and initially zero.
// A step never allocates: it addresses bytes by their offset in the arena.
//
//   0                          exportedBegin                 bytes
//   | private and anonymous    | a shared file, peers read it |
//
// A guarded arena has two views of the same bytes, to find host code that
// accesses the memory of kernels by other means than zrt_read and zrt_write:
//
//   data()       for kernels: no access while the arena is closed
//   hostView()   for host access
//
//===----------------------------------------------------------------------===//
#pragma once

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

  /// Maps `bytes` zero bytes for `tier`; called once.  Peers can also map those
  /// from `exportedBegin` on, a multiple of 4096.  A guarded arena is initially
  /// closed.  Throws zrt::Error.
  void allocate(uint64_t bytes, uint32_t tier,
                uint64_t exportedBegin = UINT64_MAX, bool isGuarded = false);

  std::byte *data() const { return base; }
  std::byte *hostView() const { return host ? host : base; }
  /// The requested size; the mapping is rounded up to whole pages.
  uint64_t size() const { return bytes; }

  /// Allow or forbid access to data() if the arena is guarded.
  void open();
  void close();

  /// The exported bytes.  The card is empty if there are none.  The file's
  /// first byte may lie before exportedBegin.
  ExportedMemory exported() const { return {file.card(), fileBegin}; }

private:
  void exportFrom(uint64_t begin, const char *name);
  void addHostView(uint64_t exportedBegin, const char *name);
  void protect(int access);

  std::byte *base = nullptr, *host = nullptr;
  uint64_t bytes = 0;
  uint64_t mapped = 0;
  SharedFile file;
  uint64_t fileBegin = 0;
};

} // namespace zrt
