//===- Avx512.h - Rounds 16 elements to 16 bits -----------------*- C++ -*-===//
#pragma once

#include "runtime/HalfFloats.h"

#include <immintrin.h>

#define ZRT_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl")))

namespace zrt {

/// narrowBrain for finite numbers.
ZRT_AVX512 inline __m256i narrow16(__m512 values, Brain) {
  const __m512i bits = _mm512_castps_si512(values);
  const __m512i odd =
      _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  return _mm512_cvtepi32_epi16(_mm512_srli_epi32(
      _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), odd),
      16));
}

/// narrowHalf.
ZRT_AVX512 inline __m256i narrow16(__m512 values, Half) {
  return _mm512_cvtps_ph(values, _MM_FROUND_TO_NEAREST_INT);
}

} // namespace zrt
