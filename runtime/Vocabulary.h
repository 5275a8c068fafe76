//===- Vocabulary.h - What the numbers of zrt.h mean ------------*- C++ -*-===//
#ifndef ZRT_VOCABULARY_H
#define ZRT_VOCABULARY_H

#include "runtime/zrt.h"

namespace zrt {

/// Bytes of one element, or 0 for an unknown dtype.
constexpr uint64_t dtypeBytes(zrt_dtype dtype) {
  switch (dtype) {
#define ZRT_ELEMENT_TYPE(NUMBER, NAME, SPELLING, BYTES)                        \
  case NUMBER:                                                                 \
    return BYTES;
#include "runtime/ElementTypes.def"
  default:
    return 0;
  }
}

/// "f32", "bf16", ...
constexpr const char *dtypeName(zrt_dtype dtype) {
  switch (dtype) {
#define ZRT_ELEMENT_TYPE(NUMBER, NAME, SPELLING, BYTES)                        \
  case NUMBER:                                                                 \
    return #SPELLING;
#include "runtime/ElementTypes.def"
  default:
    return "unknown";
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
