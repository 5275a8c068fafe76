//===- Vocabulary.h - What the numbers of zrt.h mean ------------*- C++ -*-===//
#ifndef ZRT_VOCABULARY_H
#define ZRT_VOCABULARY_H

#include "runtime/zrt.h"

namespace zrt {

/// Bytes of one element, or 0 for an unknown dtype.
constexpr uint64_t dtypeBytes(zrt_dtype dtype) {
  switch (dtype) {
  case ZRT_F32:
  case ZRT_I32:
    return 4;
  case ZRT_F64:
  case ZRT_I64:
    return 8;
  default:
    return 0;
  }
}

/// "device", "host", "nvme".
constexpr const char *tierName(uint32_t tier) {
  constexpr const char *names[ZRT_TIER_COUNT] = {"device", "host", "nvme"};
  return tier < ZRT_TIER_COUNT ? names[tier] : "unknown";
}

/// "compute", "gather", ...
constexpr const char *streamName(zrt_stream stream) {
  constexpr const char *names[ZRT_STREAM_COUNT] = {
      "compute", "gather",    "reduce",     "h2d",
      "d2h",     "nvme_read", "nvme_write", "host"};
  return stream < ZRT_STREAM_COUNT ? names[stream] : "unknown";
}

} // namespace zrt

#endif // ZRT_VOCABULARY_H
