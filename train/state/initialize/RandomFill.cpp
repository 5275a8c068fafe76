//===- RandomFill.cpp - Initial values of a parameter ---------------------===//
//
//   key     = seed
//   counter = (element index / 4, hash of the name)
//   Philox  -> 4 x 32 bits -> 4 values, the elements 4i .. 4i+3
//
// Normals come from two Box-Muller pairs.  A C library's log, sin and cos
// differ in the last bit from machine to machine; ours are fixed polynomials
// made of +, -, *, / and sqrt, which IEEE 754 rounds exactly, and this file is
// compiled without contraction to FMA.  Coefficients are those of FreeBSD's
// msun (errors below 1 ulp of double, far below the f32 we keep).
//
// Values are computed in batches of 1024, array by array, so that the compiler
// vectorizes the loops; wider registers change the speed, never the bits.
//
//===----------------------------------------------------------------------===//
#include "train/state/initialize/RandomFill.h"

#include "runtime/hash/Hash.h"
#include "runtime/numbers/Clones.h"
#include "runtime/numbers/Philox.h"

#include <algorithm>
#include <bit>
#include <cmath>

using namespace zrt;

namespace {

/// Philox blocks of a batch; each gives four values.
constexpr int kBlocks = 256;

struct Batch {
  alignas(64) uint32_t words[4][kBlocks];
  alignas(64) double values[4][kBlocks];
};

/// ln(u) for 0 < u < 1, u normal.
[[gnu::always_inline]] inline double naturalLog(double u) {
  // u = 2^e (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)).
  const uint64_t bits =
      std::bit_cast<uint64_t>(u) + 0x3ff0000000000000u - 0x3fe6a09e00000000u;
  // The exponent as a double: put it into the mantissa of 2^52.
  const double e = std::bit_cast<double>((bits >> 52) | 0x4330000000000000u) -
                   (4503599627370496.0 + 1023.0);
  const double f = std::bit_cast<double>((bits & 0x000fffffffffffffu) +
                                         0x3fe6a09e00000000u) -
                   1.0;
  const double s = f / (2.0 + f), z = s * s;
  const double r =
      z * (6.666666666666735130e-01 +
           z * (3.999999999940941908e-01 +
                z * (2.857142874366239149e-01 +
                     z * (2.222219843214978396e-01 +
                          z * (1.818357216161805012e-01 +
                               z * (1.531383769920937332e-01 +
                                    z * 1.479819860511658591e-01))))));
  const double half = 0.5 * f * f;
  return e * 6.93147180369123816490e-01 -
         ((half - (s * (half + r) + e * 1.90821492927058770002e-10)) - f);
}

/// sin(x) and cos(x) for |x| <= pi/4.
[[gnu::always_inline]] inline double sinNearZero(double x) {
  const double z = x * x;
  return x + x * z *
                 (-1.66666666666666324348e-01 +
                  z * (8.33333333332248946124e-03 +
                       z * (-1.98412698298579493134e-04 +
                            z * (2.75573137070700676789e-06 +
                                 z * (-2.50507602534068634195e-08 +
                                      z * 1.58969099521155010221e-10)))));
}
[[gnu::always_inline]] inline double cosNearZero(double x) {
  const double z = x * x;
  return (1.0 - 0.5 * z) +
         z * z *
             (4.16666666666666019037e-02 +
              z * (-1.38888888888741095749e-03 +
                   z * (2.48015872894767294178e-05 +
                        z * (-2.75573143513906633035e-07 +
                             z * (2.08757232129817482790e-09 +
                                  z * -1.13596475577881948265e-11)))));
}

ZRT_CLONES void makeWords(Batch &batch, uint64_t block, uint64_t seed,
                          uint64_t hash) {
  for (int i = 0; i < kBlocks; ++i) {
    const uint64_t index = block + static_cast<uint64_t>(i);
    const auto words = philox4x32(
        {static_cast<uint32_t>(index), static_cast<uint32_t>(index >> 32),
         static_cast<uint32_t>(hash), static_cast<uint32_t>(hash >> 32)},
        {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)});
    for (int j = 0; j < 4; ++j)
      batch.words[j][i] = words[j];
  }
}

/// Turns words into uniform values in [0, 1).
ZRT_CLONES void makeUniforms(Batch &batch) {
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < kBlocks; ++i)
      batch.values[j][i] = double(batch.words[j][i]) * 0x1p-32;
}

/// Turns words into standard normal values: radius from words 0 and 2, angle
/// from words 1 and 3.
ZRT_CLONES void makeNormals(Batch &batch) {
  for (int pair = 0; pair < 4; pair += 2)
    for (int i = 0; i < kBlocks; ++i) {
      const double u = (double(batch.words[pair][i]) + 0.5) * 0x1p-32;
      const double radius = std::sqrt(-2.0 * naturalLog(u));
      // The angle is (w + 1/2) / 2^32 of a turn.  Split it into the nearest
      // quarter turn and a rest of at most an eighth of a turn.
      const uint32_t w = batch.words[pair + 1][i];
      const uint32_t quarter = (w + 0x20000000u) >> 30;
      const auto rest = static_cast<int32_t>(w - (quarter << 30));
      const double x =
          (double(rest) + 0.5) * (6.283185307179586476925 * 0x1p-32);
      const double s = sinNearZero(x), c = cosNearZero(x);
      // Rotate by `quarter` quarter turns (modulo 4).
      const double a = quarter & 1 ? -s : c, b = quarter & 1 ? c : s;
      batch.values[pair][i] = radius * (quarter & 2 ? -a : a);
      batch.values[pair + 1][i] = radius * (quarter & 2 ? -b : b);
    }
}

template <typename T>
void fillRange(const zrt_init &init, uint64_t seed, std::string_view name,
               uint64_t first, uint64_t count, T *out) {
  if (init.kind == ZRT_INIT_CONSTANT) {
    std::fill_n(out, count, T(static_cast<float>(init.a)));
    return;
  }
  const bool normal = init.kind == ZRT_INIT_NORMAL;
  const double scale = normal ? init.b : init.b - init.a;
  // [a, b) after rounding to f32 too.
  const auto above = static_cast<float>(init.b);
  const float largest = normal || !(init.a < init.b)
                            ? HUGE_VALF
                            : std::nextafter(above, -HUGE_VALF);
  const uint64_t hash = Hash::of(name), end = first + count;
  Batch batch;
  for (uint64_t block = first / 4; block * 4 < end; block += kBlocks) {
    makeWords(batch, block, seed, hash);
    if (normal)
      makeNormals(batch);
    else
      makeUniforms(batch);
    const uint64_t from = std::max(first, block * 4);
    const uint64_t to = std::min(end, (block + kBlocks) * 4);
    for (uint64_t element = from; element < to; ++element) {
      const uint64_t i = element - block * 4;
      const double value = init.a + scale * batch.values[i % 4][i / 4];
      out[element - first] = T(std::min(static_cast<float>(value), largest));
    }
  }
}

} // namespace

void zrt::fillInitial(const zrt_init &init, uint64_t seed,
                      std::string_view name, uint64_t first, uint64_t count,
                      float *out) {
  fillRange(init, seed, name, first, count, out);
}

void zrt::fillInitial(const zrt_init &init, uint64_t seed,
                      std::string_view name, uint64_t first, uint64_t count,
                      double *out) {
  fillRange(init, seed, name, first, count, out);
}
