//===- Targets.h - One attention, several instruction sets ------*- C++ -*-===//
//
// Loops.inc is compiled once for each.  `memory` has ZRT_PACKING_BYTES.
//
//===----------------------------------------------------------------------===//
#ifndef ZRT_DEVICE_CPU_ATTENTION_TARGETS_H
#define ZRT_DEVICE_CPU_ATTENTION_TARGETS_H

#include "runtime/device/cpu/attention/Attention.h"

namespace zrt {

#define ZRT_ATTENTION_TARGET(NAME)                                             \
  namespace NAME {                                                             \
  void attend(const Attention &attention, float *memory);                      \
  void attendBackward(const AttentionBackward &attention, float *memory);      \
  }

ZRT_ATTENTION_TARGET(portable)
#ifdef __x86_64__
ZRT_ATTENTION_TARGET(avx2)
ZRT_ATTENTION_TARGET(avx512)
#endif
#undef ZRT_ATTENTION_TARGET

} // namespace zrt

#endif // ZRT_DEVICE_CPU_ATTENTION_TARGETS_H
