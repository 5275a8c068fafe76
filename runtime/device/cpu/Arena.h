//===- Arena.h - The bytes of one tier --------------------------*- C++ -*-===//
//
// One range of addresses, made before the first step and zero at start.  A step
// never allocates: it names bytes by their offset in here.
//
//   0                          exportedBegin                 bytes
//   | private and anonymous    | a shared file, peers read it |
//
// A guarded arena has two views of the same bytes, so that host code which
// touches what kernels do, other than by zrt_read and zrt_write, is found:
//
//   data()       what kernels use: no access while it is closed
//   hostView()   what host access uses
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

  /// Maps `bytes` zero bytes for `tier`, once; those from `exportedBegin` on, a
  /// multiple of 4096, for peers too.  A guarded one is closed.  Throws
  /// zrt::Error.
  void allocate(uint64_t bytes, uint32_t tier,
                uint64_t exportedBegin = UINT64_MAX, bool isGuarded = false);

  std::byte *data() const { return base; }
  std::byte *hostView() const { return host ? host : base; }
  /// What was asked for; the mapping is rounded up to whole pages.
  uint64_t size() const { return bytes; }

  /// Lets kernels in, or keeps everybody out, where it is guarded.
  void open();
  void close();

  /// The exported bytes; the card is empty when there are none, and the file's
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
