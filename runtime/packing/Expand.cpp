//===- Expand.cpp - Codes of 4 bits become elements -----------------------===//
//
//   codes    b0 = 3 | 9 << 4, b1 = 0 | 5 << 4, ...
//   to       table[3] table[0] ...          table[9] table[5] ...
//            elements 0 to 31               elements 32 to 63
//
// With AVX-512 one permutation looks up 16 elements of 32 bits.  With AVX2 it is
// 8, of half a table, twice.  Elements of 16 bits are looked up byte by byte, 32
// at once, lower and upper bytes apart.
//
//===----------------------------------------------------------------------===//
#include "runtime/packing/Dequantize.h"

#include "runtime/packing/Pack.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

using namespace zrt;

namespace {

constexpr uint64_t kHalf = kPackedBlock / 2;

template <typename Element>
void expandPortable(const std::byte *codes, const Element *table, Element *to) {
  for (uint64_t i = 0; i < kHalf; ++i) {
    const auto byte = static_cast<uint8_t>(codes[i]);
    to[i] = table[byte & 15];
    to[kHalf + i] = table[byte >> 4];
  }
}

#ifdef __x86_64__
#define ZRT_AVX2 __attribute__((target("avx2")))
#define ZRT_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl")))

ZRT_AVX2 inline __m256i lookUp8(__m256i low, __m256i high, __m256i codes) {
  const __m256i fromLow = _mm256_permutevar8x32_epi32(low, codes),
                fromHigh = _mm256_permutevar8x32_epi32(high, codes);
  // Bit 3 of a code, as a sign, says which half of the table it is of.
  return _mm256_castps_si256(_mm256_blendv_ps(
      _mm256_castsi256_ps(fromLow), _mm256_castsi256_ps(fromHigh),
      _mm256_castsi256_ps(_mm256_slli_epi32(codes, 28))));
}

ZRT_AVX2 void expandWideAvx2(const std::byte *codes, const uint32_t *table,
                             uint32_t *to) {
  const __m256i low = _mm256_loadu_si256(
                    reinterpret_cast<const __m256i *>(table)),
                high = _mm256_loadu_si256(
                    reinterpret_cast<const __m256i *>(table + 8)),
                lower = _mm256_set1_epi32(15);
  for (uint64_t i = 0; i < kHalf; i += 8) {
    const __m256i bytes = _mm256_cvtepu8_epi32(
        _mm_loadl_epi64(reinterpret_cast<const __m128i *>(codes + i)));
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(to + i),
                        lookUp8(low, high, _mm256_and_si256(bytes, lower)));
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(to + kHalf + i),
                        lookUp8(low, high, _mm256_srli_epi32(bytes, 4)));
  }
}

/// Writes 32 elements whose codes are the bytes of `codes`.
ZRT_AVX2 inline void lookUp32(__m256i lowBytes, __m256i highBytes,
                              __m256i codes, uint16_t *to) {
  const __m256i low = _mm256_shuffle_epi8(lowBytes, codes),
                high = _mm256_shuffle_epi8(highBytes, codes);
  // Of elements 0 to 7 and 16 to 23; of 8 to 15 and 24 to 31.
  const __m256i first = _mm256_unpacklo_epi8(low, high),
                second = _mm256_unpackhi_epi8(low, high);
  _mm256_storeu_si256(reinterpret_cast<__m256i *>(to),
                      _mm256_permute2x128_si256(first, second, 0x20));
  _mm256_storeu_si256(reinterpret_cast<__m256i *>(to + 16),
                      _mm256_permute2x128_si256(first, second, 0x31));
}

ZRT_AVX2 void expandHalfAvx2(const std::byte *codes, const uint16_t *table,
                             uint16_t *to) {
  const __m128i front =
                    _mm_loadu_si128(reinterpret_cast<const __m128i *>(table)),
                back = _mm_loadu_si128(
                    reinterpret_cast<const __m128i *>(table + 8)),
                byteMask = _mm_set1_epi16(255);
  const __m256i lowBytes = _mm256_broadcastsi128_si256(
                    _mm_packus_epi16(_mm_and_si128(front, byteMask),
                                     _mm_and_si128(back, byteMask))),
                highBytes = _mm256_broadcastsi128_si256(_mm_packus_epi16(
                    _mm_srli_epi16(front, 8), _mm_srli_epi16(back, 8)));
  const __m256i bytes = _mm256_loadu_si256(
                    reinterpret_cast<const __m256i *>(codes)),
                lower = _mm256_set1_epi8(15);
  lookUp32(lowBytes, highBytes, _mm256_and_si256(bytes, lower), to);
  lookUp32(lowBytes, highBytes,
           _mm256_and_si256(_mm256_srli_epi16(bytes, 4), lower), to + kHalf);
}

ZRT_AVX512 void expandWideAvx512(const std::byte *codes, const uint32_t *table,
                                 uint32_t *to) {
  const __m512i values = _mm512_loadu_si512(table),
                lower = _mm512_set1_epi32(15);
  for (uint64_t i = 0; i < kHalf; i += 16) {
    const __m512i bytes = _mm512_cvtepu8_epi32(
        _mm_loadu_si128(reinterpret_cast<const __m128i *>(codes + i)));
    _mm512_storeu_si512(to + i, _mm512_permutexvar_epi32(
                                    _mm512_and_si512(bytes, lower), values));
    _mm512_storeu_si512(
        to + kHalf + i,
        _mm512_permutexvar_epi32(_mm512_srli_epi32(bytes, 4), values));
  }
}

ZRT_AVX512 void expandHalfAvx512(const std::byte *codes, const uint16_t *table,
                                 uint16_t *to) {
  const __m512i values = _mm512_castsi256_si512(_mm256_loadu_si256(
                    reinterpret_cast<const __m256i *>(table))),
                lower = _mm512_set1_epi16(15);
  const __m512i bytes = _mm512_cvtepu8_epi16(
      _mm256_loadu_si256(reinterpret_cast<const __m256i *>(codes)));
  _mm512_storeu_si512(
      to, _mm512_permutexvar_epi16(_mm512_and_si512(bytes, lower), values));
  _mm512_storeu_si512(to + kHalf, _mm512_permutexvar_epi16(
                                      _mm512_srli_epi16(bytes, 4), values));
}
#endif

} // namespace

const Expander zrt::kPortableExpander = {expandPortable<uint32_t>,
                                         expandPortable<uint16_t>};
#ifdef __x86_64__
const Expander zrt::kAvx2Expander = {expandWideAvx2, expandHalfAvx2};
const Expander zrt::kAvx512Expander = {expandWideAvx512, expandHalfAvx512};
#endif

const Expander &zrt::bestExpander() {
#ifdef __x86_64__
  static const Expander &best = []() -> const Expander & {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl"))
      return kAvx512Expander;
    return __builtin_cpu_supports("avx2") ? kAvx2Expander : kPortableExpander;
  }();
  return best;
#else
  return kPortableExpander;
#endif
}
