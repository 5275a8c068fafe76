//===- Vocabulary.h - Names and sizes of the numbers in zrt.h ---*- C++ -*-===//
#pragma once

#include "abi/zrt.h"

namespace zrt {

/// Returns the bytes of one element, or 0 for an unknown dtype.
constexpr uint64_t dtypeBytes(zrt_dtype dtype) {
  switch (dtype) {
#define ZRT_ELEMENT_TYPE(NUMBER, NAME, SPELLING, BYTES)                        \
  case NUMBER:                                                                 \
    return BYTES;
#include "abi/ElementTypes.def"
  default:
    return 0;
  }
}

/// Returns the numbers of one element, which are many if it is a block.
constexpr uint64_t numbersIn(zrt_dtype dtype) {
  return dtype == ZRT_BLOCK8 || dtype == ZRT_BLOCK4 ? ZRT_BLOCK_ELEMENTS : 1;
}

/// "f32", "bf16", ...
constexpr const char *dtypeName(zrt_dtype dtype) {
  switch (dtype) {
#define ZRT_ELEMENT_TYPE(NUMBER, NAME, SPELLING, BYTES)                        \
  case NUMBER:                                                                 \
    return #SPELLING;
#include "abi/ElementTypes.def"
  default:
    return "unknown";
  }
}

/// Returns names[number], or "unknown" beyond the end; there are `All` numbers.
template <uint32_t All, uint32_t Count>
constexpr const char *nameIn(const char *const (&names)[Count],
                             uint32_t number) {
  static_assert(Count == All, "each number has a name");
  return number < Count ? names[number] : "unknown";
}

/// "device", "host", "nvme".
constexpr const char *tierName(uint32_t tier) {
  constexpr const char *names[] = {"device", "host", "nvme"};
  return nameIn<ZRT_TIER_COUNT>(names, tier);
}

/// "compute", "gather", ...
constexpr const char *streamClassName(uint32_t streamClass) {
  constexpr const char *names[] = {"compute",       "gather", "reduce",
                                   "h2d",           "d2h",    "nvme_read",
                                   "nvme_write",    "host",   "gather_groups",
                                   "reduce_groups", "context"};
  return nameIn<ZRT_STREAM_CLASS_COUNT>(names, streamClass);
}

/// "scalar", "members", ...
constexpr const char *extentName(uint32_t extent) {
  constexpr const char *names[] = {"nothing", "scalar",        "members",
                                   "whole",   "slice",         "slice of whole",
                                   "part",    "part of whole", "slice of part"};
  return nameIn<ZRT_EXTENT_END>(names, extent);
}

/// "launch", "matmul", ...
constexpr const char *kindName(uint32_t kind) {
  switch (kind) {
#define ZRT_EVENT_KIND(NUMBER, NAME, SPELLING)                                 \
  case NUMBER:                                                                 \
    return #SPELLING;
#define ZRT_DEVICE_KIND(NUMBER, NAME, SPELLING, OPERANDS)                      \
  ZRT_EVENT_KIND(NUMBER, NAME, SPELLING)
#define ZRT_MOVE_KIND ZRT_DEVICE_KIND
#include "abi/OperationKinds.def"
  default:
    return "unknown";
  }
}

/// "nothing", "nf4", "int8".
constexpr const char *packingName(uint32_t packing) {
  constexpr const char *names[] = {"nothing", "nf4", "int8"};
  return nameIn<ZRT_PACKING_COUNT>(names, packing);
}

/// "all_gather", ...
constexpr const char *collectiveName(uint32_t kind) {
  switch (kind) {
#define ZRT_COLLECTIVE_KIND(NUMBER, NAME, SPELLING, STEM, OF_BUCKET)           \
  case NUMBER:                                                                 \
    return #SPELLING;
#include "abi/CollectiveKinds.def"
  default:
    return "unknown";
  }
}

/// Whether a collective is between the members or groups of ranks, where ranks
/// are in groups.
constexpr bool isOfBucket(uint32_t kind) {
  switch (kind) {
#define ZRT_COLLECTIVE_KIND(NUMBER, NAME, SPELLING, STEM, OF_BUCKET)           \
  case NUMBER:                                                                 \
    return OF_BUCKET;
#include "abi/CollectiveKinds.def"
  default:
    return true;
  }
}

/// "all ranks", "members", "groups", "context".
constexpr const char *overName(uint32_t over) {
  constexpr const char *names[] = {"all ranks", "members", "groups", "context"};
  return nameIn<ZRT_OVER_COUNT>(names, over);
}

/// "count", "micro", ...
constexpr const char *programName(uint32_t program) {
  constexpr const char *names[] = {"count",   "micro",  "first",
                                   "step",    "flush",  "eval",
                                   "prefill", "decode", "score"};
  return nameIn<ZRT_PROGRAM_COUNT>(names, program);
}

} // namespace zrt
