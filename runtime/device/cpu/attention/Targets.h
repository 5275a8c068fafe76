//===- Targets.h - Attention for each instruction set -----------*- C++ -*-===//
//
// Loops.inc is compiled once for each.  `memory` has ZRT_PACKING_BYTES.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "numerics/Kernel16.h"
#include "runtime/device/cpu/attention/Attention.h"

namespace zrt {

#define ZRT_ATTENTION_OF(TYPE)                                                 \
  void attend(const AttentionOf<TYPE> &attention, float *memory);              \
  void attendFew(const FewAttentionOf<TYPE> &attention, float *memory);        \
  void attendBackward(const AttentionBackwardOf<TYPE> &attention,              \
                      float *memory);
#define ZRT_ATTENTION_TARGET(NAME)                                             \
  namespace NAME {                                                             \
  ZRT_ATTENTION_OF(float)                                                      \
  ZRT_ATTENTION_OF(Brain)                                                      \
  ZRT_ATTENTION_OF(Half)                                                       \
  }

ZRT_ATTENTION_TARGET(portable)
#ifdef __x86_64__
ZRT_ATTENTION_TARGET(avx2)
ZRT_ATTENTION_TARGET(avx512)
#endif
#undef ZRT_ATTENTION_TARGET
#undef ZRT_ATTENTION_OF

/// Products have operands of TYPE; heads are at most kMaxPairWidth wide.
#define ZRT_ATTENTION_OF_PAIRS(NAME, TYPE)                                     \
  namespace NAME {                                                             \
  void attend(const AttentionOf<TYPE> &attention, float *memory);              \
  void attendBackward(const AttentionBackwardOf<TYPE> &attention,              \
                      float *memory);                                          \
  }
#ifdef __x86_64__
ZRT_ATTENTION_OF_PAIRS(avx512bf16, Brain)
ZRT_ATTENTION_OF_PAIRS(amx, Brain)
ZRT_ATTENTION_OF_PAIRS(amxfp16, Half)
#endif
#undef ZRT_ATTENTION_OF_PAIRS

} // namespace zrt
