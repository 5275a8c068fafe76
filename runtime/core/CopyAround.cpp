//===- CopyAround.cpp - Copies that bypass the caches ---------------------===//
#include "runtime/core/CopyAround.h"

#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

using namespace zrt;

namespace {
/// Smaller copies stay in the caches until they are used.
constexpr size_t kWorthIt = size_t{1} << 20;
} // namespace

void zrt::copyAround(std::byte *to, const std::byte *from, size_t bytes) {
#ifdef __SSE2__
  if (bytes >= kWorthIt) {
    constexpr size_t line = 64;
    const size_t head = -reinterpret_cast<uintptr_t>(to) % line;
    std::memcpy(to, from, head);
    size_t at = head;
    for (; at + line <= bytes; at += line)
      for (size_t i = at; i < at + line; i += sizeof(__m128i))
        _mm_stream_si128(
            reinterpret_cast<__m128i *>(to + i),
            _mm_loadu_si128(reinterpret_cast<const __m128i *>(from + i)));
    // Streaming stores are not ordered before later stores, such as those that
    // publish this rank's arrival.
    _mm_sfence();
    to += at;
    from += at;
    bytes -= at;
  }
#endif
  std::memcpy(to, from, bytes);
}
