//===- ScaleInt8.cpp - Unpacks blocks of int8 -----------------------------===//
//
// Multiplies codes by the scale of their block, and rounds once.  AVX-512 has
// its own code: compiled loops take two to three times as long.
//
//===----------------------------------------------------------------------===//
#include "runtime/packing/ScaleInt8.h"

#include "runtime/Clones.h"
#include "runtime/HalfFloats.h"
#include "runtime/packing/Dequantize.h"
#include "runtime/packing/Pack.h"

#ifdef __x86_64__
#include "runtime/packing/Avx512.h"
#endif

using namespace zrt;

namespace {

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

const Expander zrt::kPortableScaler = {scaleWide, scaleBrain, scaleHalf};

#ifdef __x86_64__
const Expander zrt::kAvx512Scaler = {scaleAvx512<float>, scaleAvx512<Brain>,
                                     scaleAvx512<Half>};
#endif

const Expander &zrt::bestScaler() {
#ifdef __x86_64__
  static const Expander &best =
      hasAvx512Expander() ? kAvx512Scaler : kPortableScaler;
  return best;
#else
  return kPortableScaler;
#endif
}
