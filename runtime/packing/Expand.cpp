//===- Expand.cpp - Unpacks blocks of nf4 and int8 ------------------------===//
//
// A block of nf4 has at most 16 different elements.  They are computed once, as
// a table, and each code then selects an entry:
//
//   codes    b0 = 3 | 9 << 4, b1 = 0 | 5 << 4, ...
//   to       table[3] table[0] ...          table[9] table[5] ...
//            elements 0 to 31               elements 32 to 63
//
// So all instruction sets give the same bits, and differ only in the look-up.
// With AVX-512 one permutation looks up 16 elements of 32 bits, or 32 of 16
// bits.  With AVX2 it looks up 8 elements of 32 bits, once per half of the
// table; 16-bit elements are looked up byte by byte, 32 at once, lower and
// upper bytes separately.
//
// Codes of int8 are multiplied by the scale of their block, and rounded once.
// AVX-512, and AVX2 for 16-bit elements, have their own code: compiled loops
// take longer, up to three times.
//
//===----------------------------------------------------------------------===//
#include "runtime/packing/Unpack.h"

#include "numerics/Codebooks.h"
#include "runtime/numbers/Clones.h"
#include "runtime/numbers/HalfFloats.h"
#include "runtime/packing/Pack.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

using namespace zrt;

namespace {

constexpr uint64_t kHalf = kPackedBlock / 2;

//===----------------------------------------------------------------------===//
// Every processor
//===----------------------------------------------------------------------===//

template <typename Element>
void expandPortable(const std::byte *codes, const float *scales,
                    uint64_t blocks, void *to) {
  auto *out = static_cast<Element *>(to);
  for (uint64_t b = 0; b < blocks; ++b, codes += kHalf, out += kPackedBlock) {
    Element table[kNormalFloats.size()];
    for (size_t code = 0; code < kNormalFloats.size(); ++code)
      narrow(kNormalFloats[code] * scales[b], table[code]);
    for (uint64_t i = 0; i < kHalf; ++i) {
      const auto byte = static_cast<uint8_t>(codes[i]);
      out[i] = table[byte & 15];
      out[kHalf + i] = table[byte >> 4];
    }
  }
}

template <typename Element>
[[gnu::always_inline]] inline void scaleBlocks(const std::byte *codes,
                                               const float *scales,
                                               uint64_t blocks, void *to) {
  const auto *numbers = reinterpret_cast<const int8_t *>(codes);
  auto *out = static_cast<Element *>(to);
  for (uint64_t b = 0; b < blocks; ++b)
    for (uint64_t i = b * kPackedBlock; i < (b + 1) * kPackedBlock; ++i)
      narrow(static_cast<float>(numbers[i]) * scales[b], out[i]);
}

ZRT_CLONES void scaleWide(const std::byte *codes, const float *scales,
                          uint64_t blocks, void *to) {
  scaleBlocks<float>(codes, scales, blocks, to);
}
ZRT_CLONES void scaleBrain(const std::byte *codes, const float *scales,
                           uint64_t blocks, void *to) {
  scaleBlocks<Brain>(codes, scales, blocks, to);
}
ZRT_CLONES void scaleHalf(const std::byte *codes, const float *scales,
                          uint64_t blocks, void *to) {
  scaleBlocks<Half>(codes, scales, blocks, to);
}

#ifdef __x86_64__
//===----------------------------------------------------------------------===//
// AVX2 and F16C
//===----------------------------------------------------------------------===//

#define ZRT_AVX2 __attribute__((target("avx2,f16c")))

/// A table of f32: codes 0 to 7, and codes 8 to 15.
struct Table8 {
  __m256 low, high;
};

ZRT_AVX2 inline Table8 tableAvx2(float scale) {
  const __m256 factor = _mm256_set1_ps(scale);
  return {_mm256_mul_ps(_mm256_loadu_ps(kNormalFloats.data()), factor),
          _mm256_mul_ps(_mm256_loadu_ps(kNormalFloats.data() + 8), factor)};
}

/// Looks up 8 codes of 32 bits each; bit 3 of a code selects the half of the
/// table.
ZRT_AVX2 inline __m256 lookUp8(Table8 table, __m256i codes) {
  return _mm256_blendv_ps(_mm256_permutevar8x32_ps(table.low, codes),
                          _mm256_permutevar8x32_ps(table.high, codes),
                          _mm256_castsi256_ps(_mm256_slli_epi32(codes, 28)));
}

ZRT_AVX2 void expandFloatAvx2(const std::byte *codes, const float *scales,
                              uint64_t blocks, void *to) {
  auto *out = static_cast<float *>(to);
  for (uint64_t b = 0; b < blocks; ++b, codes += kHalf, out += kPackedBlock) {
    const Table8 table = tableAvx2(scales[b]);
    for (uint64_t i = 0; i < kHalf; i += 8) {
      const __m256i bytes = _mm256_cvtepu8_epi32(
          _mm_loadl_epi64(reinterpret_cast<const __m128i *>(codes + i)));
      _mm256_storeu_ps(out + i, lookUp8(table, bytes));
      _mm256_storeu_ps(out + kHalf + i,
                       lookUp8(table, _mm256_srli_epi32(bytes, 4)));
    }
  }
}

/// narrowBrain for finite numbers; each result has 32 bits.
ZRT_AVX2 inline __m256i roundBrainAvx2(__m256 values) {
  const __m256i bits = _mm256_castps_si256(values);
  const __m256i odd =
      _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  return _mm256_srli_epi32(
      _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), odd),
      16);
}

/// A table of 16-bit elements: codes 0 to 7, and codes 8 to 15.
struct Table16 {
  __m128i low, high;
};

ZRT_AVX2 inline Table16 narrowTable(Table8 table, Brain) {
  const __m256i both =
      _mm256_permute4x64_epi64(_mm256_packus_epi32(roundBrainAvx2(table.low),
                                                   roundBrainAvx2(table.high)),
                               0xd8);
  return {_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1)};
}

ZRT_AVX2 inline Table16 narrowTable(Table8 table, Half) {
  return {_mm256_cvtps_ph(table.low, _MM_FROUND_TO_NEAREST_INT),
          _mm256_cvtps_ph(table.high, _MM_FROUND_TO_NEAREST_INT)};
}

/// Writes 32 elements whose codes are the bytes of `codes`.
ZRT_AVX2 inline void lookUp32(__m256i lowBytes, __m256i highBytes,
                              __m256i codes, uint16_t *to) {
  const __m256i low = _mm256_shuffle_epi8(lowBytes, codes),
                high = _mm256_shuffle_epi8(highBytes, codes);
  // Elements 0 to 7 and 16 to 23; elements 8 to 15 and 24 to 31.
  const __m256i first = _mm256_unpacklo_epi8(low, high),
                second = _mm256_unpackhi_epi8(low, high);
  _mm256_storeu_si256(reinterpret_cast<__m256i *>(to),
                      _mm256_permute2x128_si256(first, second, 0x20));
  _mm256_storeu_si256(reinterpret_cast<__m256i *>(to + 16),
                      _mm256_permute2x128_si256(first, second, 0x31));
}

template <typename Element>
ZRT_AVX2 void expandHalfAvx2(const std::byte *codes, const float *scales,
                             uint64_t blocks, void *to) {
  auto *out = static_cast<uint16_t *>(to);
  const __m128i byteMask = _mm_set1_epi16(255);
  const __m256i lower = _mm256_set1_epi8(15);
  for (uint64_t b = 0; b < blocks; ++b, codes += kHalf, out += kPackedBlock) {
    const Table16 table = narrowTable(tableAvx2(scales[b]), Element());
    const __m256i lowBytes = _mm256_broadcastsi128_si256(
                      _mm_packus_epi16(_mm_and_si128(table.low, byteMask),
                                       _mm_and_si128(table.high, byteMask))),
                  highBytes = _mm256_broadcastsi128_si256(
                      _mm_packus_epi16(_mm_srli_epi16(table.low, 8),
                                       _mm_srli_epi16(table.high, 8))),
                  bytes = _mm256_loadu_si256(
                      reinterpret_cast<const __m256i *>(codes));
    lookUp32(lowBytes, highBytes, _mm256_and_si256(bytes, lower), out);
    lookUp32(lowBytes, highBytes,
             _mm256_and_si256(_mm256_srli_epi16(bytes, 4), lower), out + kHalf);
  }
}

ZRT_AVX2 inline __m128i narrow8(__m256 values, Brain) {
  const __m256i bits = roundBrainAvx2(values);
  return _mm_packus_epi32(_mm256_castsi256_si128(bits),
                          _mm256_extracti128_si256(bits, 1));
}

ZRT_AVX2 inline __m128i narrow8(__m256 values, Half) {
  return _mm256_cvtps_ph(values, _MM_FROUND_TO_NEAREST_INT);
}

template <typename Element>
ZRT_AVX2 void scaleAvx2(const std::byte *codes, const float *scales,
                        uint64_t blocks, void *to) {
  auto *out = static_cast<uint16_t *>(to);
  for (uint64_t b = 0; b < blocks; ++b) {
    const __m256 scale = _mm256_set1_ps(scales[b]);
    for (uint64_t i = b * kPackedBlock; i < (b + 1) * kPackedBlock; i += 8) {
      const __m256i numbers = _mm256_cvtepi8_epi32(
          _mm_loadl_epi64(reinterpret_cast<const __m128i *>(codes + i)));
      _mm_storeu_si128(
          reinterpret_cast<__m128i *>(out + i),
          narrow8(_mm256_mul_ps(_mm256_cvtepi32_ps(numbers), scale),
                  Element()));
    }
  }
}

//===----------------------------------------------------------------------===//
// AVX-512 F, BW and VL
//===----------------------------------------------------------------------===//

#define ZRT_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl")))

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

ZRT_AVX512 inline __m512 tableAvx512(float scale) {
  return _mm512_mul_ps(_mm512_loadu_ps(kNormalFloats.data()),
                       _mm512_set1_ps(scale));
}

ZRT_AVX512 void expandFloatAvx512(const std::byte *codes, const float *scales,
                                  uint64_t blocks, void *to) {
  auto *out = static_cast<float *>(to);
  for (uint64_t b = 0; b < blocks; ++b, codes += kHalf, out += kPackedBlock) {
    const __m512 table = tableAvx512(scales[b]);
    for (uint64_t i = 0; i < kHalf; i += 16) {
      // The permutation uses the lower 4 bits only.
      const __m512i bytes = _mm512_cvtepu8_epi32(
          _mm_loadu_si128(reinterpret_cast<const __m128i *>(codes + i)));
      _mm512_storeu_ps(out + i, _mm512_permutexvar_ps(bytes, table));
      _mm512_storeu_ps(
          out + kHalf + i,
          _mm512_permutexvar_ps(_mm512_srli_epi32(bytes, 4), table));
    }
  }
}

template <typename Element>
ZRT_AVX512 void expandHalfAvx512(const std::byte *codes, const float *scales,
                                 uint64_t blocks, void *to) {
  auto *out = static_cast<uint16_t *>(to);
  const __m512i lower = _mm512_set1_epi16(15);
  for (uint64_t b = 0; b < blocks; ++b, codes += kHalf, out += kPackedBlock) {
    const __m512i table = _mm512_castsi256_si512(
                      narrow16(tableAvx512(scales[b]), Element())),
                  bytes = _mm512_cvtepu8_epi16(_mm256_loadu_si256(
                      reinterpret_cast<const __m256i *>(codes)));
    _mm512_storeu_si512(
        out, _mm512_permutexvar_epi16(_mm512_and_si512(bytes, lower), table));
    _mm512_storeu_si512(out + kHalf, _mm512_permutexvar_epi16(
                                         _mm512_srli_epi16(bytes, 4), table));
  }
}

ZRT_AVX512 inline void store(__m512 values, float *to) {
  _mm512_storeu_ps(to, values);
}
template <typename Element>
ZRT_AVX512 inline void store(__m512 values, Element *to) {
  _mm256_storeu_si256(reinterpret_cast<__m256i *>(to),
                      narrow16(values, Element()));
}

template <typename Element>
ZRT_AVX512 void scaleAvx512(const std::byte *codes, const float *scales,
                            uint64_t blocks, void *to) {
  auto *out = static_cast<Element *>(to);
  for (uint64_t b = 0; b < blocks; ++b) {
    const __m512 scale = _mm512_set1_ps(scales[b]);
    for (uint64_t i = b * kPackedBlock; i < (b + 1) * kPackedBlock; i += 16) {
      const __m128i bytes =
          _mm_loadu_si128(reinterpret_cast<const __m128i *>(codes + i));
      const __m512 numbers = _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(bytes));
      store(_mm512_mul_ps(numbers, scale), out + i);
    }
  }
}
#endif

} // namespace

const Expander zrt::kPortableExpander = {
    expandPortable<float>, expandPortable<Brain>, expandPortable<Half>};
const Expander zrt::kPortableScaler = {scaleWide, scaleBrain, scaleHalf};
#ifdef __x86_64__
const Expander zrt::kAvx2Expander = {expandFloatAvx2, expandHalfAvx2<Brain>,
                                     expandHalfAvx2<Half>};
const Expander zrt::kAvx2Scaler = {scaleWide, scaleAvx2<Brain>,
                                   scaleAvx2<Half>};
const Expander zrt::kAvx512Expander = {
    expandFloatAvx512, expandHalfAvx512<Brain>, expandHalfAvx512<Half>};
const Expander zrt::kAvx512Scaler = {scaleAvx512<float>, scaleAvx512<Brain>,
                                     scaleAvx512<Half>};

bool zrt::hasAvx2Expander() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c");
}

bool zrt::hasAvx512Expander() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl");
}

const Expander &zrt::bestFor(uint32_t packing) {
  static const bool has512 = hasAvx512Expander(), has2 = hasAvx2Expander();
  if (packing != ZRT_NF4)
    return has512 ? kAvx512Scaler : has2 ? kAvx2Scaler : kPortableScaler;
  return has512 ? kAvx512Expander : has2 ? kAvx2Expander : kPortableExpander;
}
#else
bool zrt::hasAvx2Expander() { return false; }
bool zrt::hasAvx512Expander() { return false; }

const Expander &zrt::bestFor(uint32_t packing) {
  return packing == ZRT_NF4 ? kPortableExpander : kPortableScaler;
}
#endif
