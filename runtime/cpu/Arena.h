//===- Arena.h - The bytes of one tier --------------------------*- C++ -*-===//
//
// One anonymous private mapping, made before the first step and zero at start.
// A step never allocates: it names bytes by their offset in here.
//
//===----------------------------------------------------------------------===//
#ifndef ZRT_CPU_ARENA_H
#define ZRT_CPU_ARENA_H

#include <cstddef>
#include <cstdint>

namespace zrt {

/// "device", "host", "nvme".
const char *tierName(uint32_t tier);

class Arena {
public:
  Arena() = default;
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;
  ~Arena();

  /// Maps `bytes` zero bytes for `tier`, once.  Throws zrt::Error.
  void allocate(uint64_t bytes, uint32_t tier);

  std::byte *data() const { return base; }
  /// What was asked for; the mapping is rounded up to whole pages.
  uint64_t size() const { return bytes; }

private:
  std::byte *base = nullptr;
  uint64_t bytes = 0;
  uint64_t mapped = 0;
};

} // namespace zrt

#endif // ZRT_CPU_ARENA_H
