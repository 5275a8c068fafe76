//===- HalfArrays.cpp - Converts arrays of 16-bit floats and f32 ----------===//
#include "runtime/numbers/HalfArrays.h"

#include "runtime/numbers/Clones.h"
#include "runtime/numbers/HalfFloats.h"

#include <cstring>

using namespace zrt;

namespace {

ZRT_CLONES void widenAll(const Brain *from, size_t count, float *to) {
#pragma clang loop vectorize(assume_safety)
  for (size_t i = 0; i < count; ++i)
    to[i] = widenBrain(from[i].bits);
}

ZRT_CLONES void widenAll(const Half *from, size_t count, float *to) {
#pragma clang loop vectorize(assume_safety)
  for (size_t i = 0; i < count; ++i)
    to[i] = widenHalf(from[i].bits);
}

ZRT_CLONES void narrowAll(const float *from, size_t count, Brain *to) {
#pragma clang loop vectorize(assume_safety)
  for (size_t i = 0; i < count; ++i)
    to[i].bits = narrowBrain(from[i]);
}

ZRT_CLONES void narrowAll(const float *from, size_t count, Half *to) {
#pragma clang loop vectorize(assume_safety)
  for (size_t i = 0; i < count; ++i)
    to[i].bits = narrowHalf(from[i]);
}

} // namespace

void zrt::widen(const void *from, zrt_dtype dtype, size_t count, float *to) {
  if (dtype == ZRT_BF16)
    widenAll(static_cast<const Brain *>(from), count, to);
  else if (dtype == ZRT_F16)
    widenAll(static_cast<const Half *>(from), count, to);
  else if (count != 0)
    std::memcpy(to, from, count * sizeof(float));
}

void zrt::narrow(const float *from, size_t count, zrt_dtype dtype, void *to) {
  if (dtype == ZRT_BF16)
    narrowAll(from, count, static_cast<Brain *>(to));
  else if (dtype == ZRT_F16)
    narrowAll(from, count, static_cast<Half *>(to));
  else if (count != 0)
    std::memcpy(to, from, count * sizeof(float));
}
