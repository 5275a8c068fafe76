//===- KernelTwins.h - The kernels of DeviceUnderTest.h, on CPUs -*- C++ -*-===//
#pragma once

#include <cstdint>
#include <stdexcept>

namespace zrt::test {

inline int32_t *ints(void *arg) { return static_cast<int32_t *>(arg); }
inline float *floats(void *arg) { return static_cast<float *>(arg); }

inline void count(void *const *args, int64_t begin, int64_t end) {
  const bool isBad = begin % 64 != 0 || end - begin > 64 || end <= begin;
  for (int64_t i = begin; i < end; ++i)
    ints(args[0])[i] += int32_t(i) + 1 + isBad;
}
inline void addTo(void *const *args, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    ints(args[1])[i] += ints(args[0])[i];
}
inline void fails(void *const *, int64_t, int64_t) {
  throw std::runtime_error("broken kernel");
}
template <int Decay>
void update(void *const *args, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    floats(args[3])[i] =
        floats(args[0])[i] -
        *floats(args[2]) * (floats(args[1])[i] + Decay * floats(args[0])[i]);
}

} // namespace zrt::test
