//===- TestKernels.cpp - Emulated kernels of the device's tests -----------===//
//
// The kernels of test/unit/runtime/DeviceUnderTest.h, in code for
// test/emulator: one function for each kernel, which every thread of a block
// calls.
//
//===----------------------------------------------------------------------===//
#include "Emulator.h"

#include "abi/zrt.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace {

/// Units per block, and threads (CudaUnderTest.cpp).
constexpr int64_t kUnits = 64, kThreads = 32;

template <typename T>
T value(void *parameter) {
  T result;
  std::memcpy(&result, parameter, sizeof(T));
  return result;
}

template <typename T>
T load(const T *from) {
  zge_read(from, sizeof(T));
  return *from;
}
template <typename T>
void store(T *to, T what) {
  zge_write(to, sizeof(T));
  *to = what;
}

/// Calls `work(i)` for the thread's share of the block's units.
template <typename Work>
void forUnits(int64_t units, Work work) {
  const int64_t begin = zge_block() * kUnits;
  for (int64_t i = begin + zge_thread(); i < std::min(begin + kUnits, units);
       i += kThreads)
    work(i);
}

/// Calls `work(i, decays, run)` for the thread's share of the elements that the
/// table of an update gives the block.
template <typename Work>
void forElements(void *parameter, Work work) {
  const int64_t *entry = value<const int64_t *>(parameter) + 4 * zge_block();
  const int64_t end = load(entry + 1);
  for (int64_t i = load(entry) + zge_thread(); i < end; i += kThreads)
    work(i, load(entry + 2) != 0, load(entry + 3));
}

float widened(float value) { return value; }
float widened(uint16_t bits, bool isBf16) {
  if (isBf16) {
    const uint32_t wide = uint32_t(bits) << 16;
    return value<float>(const_cast<uint32_t *>(&wide));
  }
  _Float16 half;
  std::memcpy(&half, &bits, sizeof(half));
  return float(half);
}

/// One thread for each block of elements.
template <typename T, typename Widen>
void squares(void **params, Widen widen) {
  const auto *grad = value<const T *>(params[0]);
  auto *partials = value<double *>(params[1]);
  const auto *table = value<const int64_t *>(params[2]);
  const int64_t begin = load(table + 2 * zge_block()),
                end = load(table + 2 * zge_block() + 1);
  double lanes[16] = {};
  for (int64_t i = begin; i < end; ++i) {
    const double wide = widen(load(grad + i));
    lanes[(i - begin) % 16] += wide * wide;
  }
  for (int apart = 8; apart > 0; apart /= 2)
    for (int lane = 0; lane < apart; ++lane)
      lanes[lane] += lanes[lane + apart];
  store(partials + zge_block(), lanes[0]);
}

} // namespace

extern "C" {

void test_count(void **params) {
  auto *numbers = value<int32_t *>(params[0]);
  forUnits(value<int64_t>(params[1]), [&](int64_t i) {
    store(numbers + i, load(numbers + i) + int32_t(i) + 1);
  });
}

void test_add_to(void **params) {
  const auto *from = value<const int32_t *>(params[0]);
  auto *to = value<int32_t *>(params[1]);
  forUnits(value<int64_t>(params[2]),
           [&](int64_t i) { store(to + i, load(to + i) + load(from + i)); });
}

/// Doubles numbers.  Two blocks share a unit: one has the first half of its 64
/// elements, one the second.
void test_double_parts(void **params) {
  auto *numbers = value<int32_t *>(params[0]);
  const int64_t unit = zge_block() / 2, part = zge_block() % 2;
  int32_t *mine = numbers + unit * kUnits + part * kThreads + zge_thread();
  if (unit < value<int64_t>(params[1]))
    store(mine, 2 * load(mine));
}

void test_fails(void **) {
  zge_write(reinterpret_cast<const void *>(uintptr_t{16}), 4);
}

void test_update(void **params) {
  const auto *p = value<const float *>(params[0]);
  const auto *g = value<const float *>(params[1]);
  const auto *rate = value<const float *>(params[2]);
  auto *next = value<float *>(params[3]);
  forElements(params[4], [&](int64_t i, bool decays, int64_t) {
    store(next + i, load(p + i) - load(rate) * (load(g + i) +
                                                float(decays) * load(p + i)));
  });
}

/// args[2][i] = position of element i in its parameter, times the first key.
void test_chance(void **params) {
  const auto *bits = value<const uint32_t *>(params[1]);
  auto *next = value<uint32_t *>(params[2]);
  forElements(params[3], [&](int64_t i, bool, int64_t run) {
    const uint32_t *mine = bits + 3 * run;
    store(next + i, (uint32_t(i) + load(mine + 2)) * load(mine));
  });
}

void zrt_squares_f32(void **params) {
  squares<float>(params, [](float value) { return widened(value); });
}
void zrt_squares_bf16(void **params) {
  squares<uint16_t>(params, [](uint16_t bits) { return widened(bits, true); });
}
void zrt_squares_f16(void **params) {
  squares<uint16_t>(params, [](uint16_t bits) { return widened(bits, false); });
}

void zrt_widen_bf16(void **params) {
  const auto *narrow = value<const uint16_t *>(params[0]);
  auto *wide = value<float *>(params[1]);
  forUnits(value<int64_t>(params[2]), [&](int64_t i) {
    store(wide + i, widened(load(narrow + i), true));
  });
}

/// One thread for each element.
void zrt_ranked_sum_f32_f32(void **params) {
  const auto *from = value<const float *>(params[0]);
  const auto *how = value<const int64_t *>(params[1]);
  auto *result = value<float *>(params[2]);
  const int64_t ranks = load(how), stride = load(how + 1);
  const auto scale = float(load(reinterpret_cast<const double *>(how + 2)));
  const bool accumulates = load(how + 3) != 0;
  forUnits(value<int64_t>(params[3]), [&](int64_t i) {
    float sum = load(from + i);
    for (int64_t rank = 1; rank < ranks; ++rank)
      sum += load(from + rank * stride + i);
    sum *= scale;
    if (accumulates)
      sum += load(result + i);
    store(result + i, sum);
  });
}

/// One thread for each group of packed blocks.
void zrt_unpack_int8_f32(void **params) {
  constexpr int64_t kGroup = ZRT_PACKED_RUN * ZRT_PACKED_BLOCK;
  const auto *packed = value<const std::byte *>(params[0]);
  auto *result = value<float *>(params[1]);
  const auto elements = value<int64_t>(params[2]);
  const int64_t begin = zge_block() * kGroup,
                end = std::min(begin + kGroup, elements);
  const std::byte *codes = packed + zrt_packed_bytes(ZRT_INT8, begin),
                  *scales = codes + (end - begin + 63) / 64 * 64;
  for (int64_t i = begin; i < end; ++i) {
    const auto *scale =
        reinterpret_cast<const float *>(scales) + (i - begin) / 64;
    const auto *number = reinterpret_cast<const int8_t *>(codes + i - begin);
    store(result + i, float(load(number)) * load(scale));
  }
}

} // extern "C"
