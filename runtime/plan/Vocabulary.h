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

/// Returns names[number], or "unknown" beyond the end.
template <uint32_t Count>
constexpr const char *nameIn(const char *const (&names)[Count],
                             uint32_t number) {
  return number < Count ? names[number] : "unknown";
}

/// "device", "host", "nvme".
constexpr const char *tierName(uint32_t tier) {
  constexpr const char *names[ZRT_TIER_COUNT] = {"device", "host", "nvme"};
  return nameIn(names, tier);
}

/// "compute", "gather", ...
constexpr const char *streamClassName(uint32_t streamClass) {
  constexpr const char *names[ZRT_STREAM_CLASS_COUNT] = {
      "compute",   "gather",     "reduce", "h2d",           "d2h",
      "nvme_read", "nvme_write", "host",   "gather_groups", "reduce_groups"};
  return nameIn(names, streamClass);
}

/// "scalar", "members", ...
constexpr const char *extentName(uint32_t extent) {
  constexpr const char *names[ZRT_EXTENT_END] = {
      "nothing",        "scalar", "members",       "whole",        "slice",
      "slice of whole", "part",   "part of whole", "slice of part"};
  return nameIn(names, extent);
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
  constexpr const char *names[ZRT_PACKING_COUNT] = {"nothing", "nf4", "int8"};
  return nameIn(names, packing);
}

/// "all_gather", ...
constexpr const char *collectiveName(uint32_t kind) {
  constexpr const char *names[] = {"all_gather", "reduce_scatter",
                                   "all_reduce"};
  return nameIn(names, kind);
}

/// "all ranks", "members", "groups".
constexpr const char *overName(uint32_t over) {
  constexpr const char *names[] = {"all ranks", "members", "groups"};
  return nameIn(names, over);
}

/// "count", "micro", ...
constexpr const char *programName(uint32_t program) {
  constexpr const char *names[ZRT_PROGRAM_COUNT] = {
      "count", "micro",   "first",  "step", "flush",
      "eval",  "prefill", "decode", "score"};
  return nameIn(names, program);
}

} // namespace zrt
