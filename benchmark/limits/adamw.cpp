//===- adamw.cpp - Measures AdamW's memory bandwidth ----------------------===//
//
//   OMP_NUM_THREADS=2 adamw SECONDS PARAMETERS
//
// AdamW of one flat parameter in f32 moves 28 bytes an element: it reads
// parameter, gradient and both moments, and writes all but the gradient.
// Prints a line `form seconds` for plain stores, and for non-temporal stores
// where the processor has them.
//
//===----------------------------------------------------------------------===//
#include "timing.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <immintrin.h>
#include <sys/mman.h>

namespace {

#if defined(__AVX512F__)
using Vector = __m512;
void streamStore(float *to, Vector value) { _mm512_stream_ps(to, value); }
#elif defined(__AVX__)
using Vector = __m256;
void streamStore(float *to, Vector value) { _mm256_stream_ps(to, value); }
#else
using Vector = __m128;
void streamStore(float *to, Vector value) { _mm_stream_ps(to, value); }
#endif
constexpr long kLanes = sizeof(Vector) / sizeof(float);

float *allocate(long count) {
  void *bytes = mmap(nullptr, count * sizeof(float), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (bytes == MAP_FAILED) {
    std::perror("adamw: error: mmap");
    std::exit(1);
  }
  madvise(bytes, count * sizeof(float), MADV_HUGEPAGE);
  return static_cast<float *>(bytes);
}

template <bool kStream>
void update(float *p, const float *g, float *m, float *v, long count) {
  constexpr float kRate = 1e-4f, kDecay = 1 - 1e-4f * 0.1f;
#pragma omp parallel for schedule(static)
  for (long block = 0; block < count; block += kLanes) {
    alignas(64) float mean[kLanes], square[kLanes], value[kLanes];
#pragma omp simd
    for (long i = 0; i < kLanes; ++i) {
      const float gradient = g[block + i];
      mean[i] = 0.9f * m[block + i] + 0.1f * gradient;
      square[i] = 0.95f * v[block + i] + 0.05f * gradient * gradient;
      value[i] = kDecay * p[block + i] -
                 kRate * mean[i] / (std::sqrt(square[i]) + 1e-8f);
    }
    if constexpr (kStream) {
      streamStore(m + block, *reinterpret_cast<Vector *>(mean));
      streamStore(v + block, *reinterpret_cast<Vector *>(square));
      streamStore(p + block, *reinterpret_cast<Vector *>(value));
    } else {
      *reinterpret_cast<Vector *>(m + block) =
          *reinterpret_cast<Vector *>(mean);
      *reinterpret_cast<Vector *>(v + block) =
          *reinterpret_cast<Vector *>(square);
      *reinterpret_cast<Vector *>(p + block) =
          *reinterpret_cast<Vector *>(value);
    }
  }
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  const double budget = std::atof(argv[1]);
  const long count = std::atol(argv[2]) / kLanes * kLanes;
  float *p = allocate(count), *g = allocate(count), *m = allocate(count),
        *v = allocate(count);
#pragma omp parallel for schedule(static)
  for (long i = 0; i < count; ++i) {
    p[i] = 0.5f;
    g[i] = 0.001f * float(i % 5);
    m[i] = v[i] = 0;
  }
  std::printf("plain %.9f\n",
              medianSeconds(budget, [&] { update<false>(p, g, m, v, count); }));
  std::printf("streamed %.9f\n",
              medianSeconds(budget, [&] { update<true>(p, g, m, v, count); }));
}
