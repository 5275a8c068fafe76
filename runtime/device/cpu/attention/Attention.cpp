//===- Attention.cpp - Entry points of attention --------------------------===//
#include "runtime/device/cpu/attention/Attention.h"

#include "abi/zrt.h"
#include "runtime/device/cpu/attention/Blocks.h"
#include "runtime/device/cpu/attention/Targets.h"
#include "runtime/device/cpu/gemm/Gemm.h"
#include "runtime/device/cpu/gemm/Scratch.h"

#include <algorithm>
#include <cstring>
#include <optional>

using namespace zrt;

namespace {

template <typename T>
struct Target {
  void (*attend)(const AttentionOf<T> &, float *);
  void (*attendFew)(const FewAttentionOf<T> &, float *);
  void (*attendBackward)(const AttentionBackwardOf<T> &, float *);
};

template <typename T>
const Target<T> &target() {
  static const Target<T> chosen = []() -> Target<T> {
#ifdef __x86_64__
    if (instructionSet() == InstructionSet::Avx512)
      return {avx512::attend, avx512::attendFew, avx512::attendBackward};
    if (instructionSet() == InstructionSet::Avx2)
      return {avx2::attend, avx2::attendFew, avx2::attendBackward};
#endif
    return {portable::attend, portable::attendFew, portable::attendBackward};
  }();
  return chosen;
}

/// Returns the functions that `products` asks for.
template <typename T>
const Target<T> &targetFor(int64_t /*width*/, int32_t /*products*/) {
  return target<T>();
}
#ifdef __x86_64__
template <>
const Target<Brain> &targetFor(int64_t width, int32_t products) {
  static constexpr Target<Brain> kDots = {avx512bf16::attend, nullptr,
                                          avx512bf16::attendBackward},
                                 kTiles = {amx::attend, nullptr,
                                           amx::attendBackward};
  if (products == int32_t(Kernel16::Widen) || width > kMaxPairWidth)
    return target<Brain>();
  return products == int32_t(Kernel16::DotBrains) ? kDots : kTiles;
}
template <>
const Target<Half> &targetFor(int64_t width, int32_t products) {
  static constexpr Target<Half> kTiles = {amxfp16::attend, nullptr,
                                          amxfp16::attendBackward};
  if (products != int32_t(Kernel16::AmxBoth) || width > kMaxPairWidth)
    return target<Half>();
  return kTiles;
}
#endif

/// The dropout that a call asks for, if any.
std::optional<Dropout> dropoutOf(const int64_t *key, int64_t place,
                                 double rate) {
  if (!key || *key == 0)
    return std::nullopt;
  return Dropout(uint64_t(*key), uint64_t(place), rate);
}

/// Calls body(T()) with the type T of elements.
template <typename Body>
void withType(zrt_dtype dtype, Body body) {
  if (dtype == ZRT_BF16)
    body(Brain());
  else if (dtype == ZRT_F16)
    body(Half());
  else
    body(float());
}

/// With more queries of a head it is faster to have them in lanes.
constexpr int64_t kFewQueries = 8;

template <typename T>
void copyRows(Rows<const T> from, int64_t rows, int64_t width, Rows<T> to) {
  for (int64_t i = 0; i < rows; ++i)
    std::memcpy(to.at + i * to.stride, from.at + i * from.stride,
                size_t(width) * sizeof(T));
}

template <typename T>
void clearRows(Rows<T> of, int64_t begin, int64_t end, int64_t width) {
  for (int64_t i = begin; i < end; ++i)
    std::memset(of.at + i * of.stride, 0, size_t(width) * sizeof(T));
}

} // namespace

extern "C" void zrt_attention(int64_t queries, int64_t keys, int64_t width,
                              float scale, float soft_cap, int32_t causal,
                              int64_t window, const int32_t *starts,
                              const int64_t *key, int64_t place, double rate,
                              int64_t head, zrt_dtype dtype, int32_t products,
                              const void *q, int64_t q_stride, const void *k,
                              int64_t k_stride, const void *v, int64_t v_stride,
                              void *out, int64_t out_stride, float *lse) {
  const std::optional<Dropout> dropout = dropoutOf(key, place, rate);
  withType(dtype, [&](auto type) {
    using T = decltype(type);
    targetFor<T>(width, products)
        .attend({{queries, keys, width, scale, causal != 0, window, soft_cap,
                  starts, dropout ? &*dropout : nullptr, head},
                 {static_cast<const T *>(q), q_stride},
                 {static_cast<const T *>(k), k_stride},
                 {static_cast<const T *>(v), v_stride},
                 {static_cast<T *>(out), out_stride},
                 lse},
                scratch());
  });
}

extern "C" void zrt_attention_backward(
    int64_t queries, int64_t keys, int64_t width, float scale, float soft_cap,
    int32_t causal, int64_t window, const int32_t *starts, const int64_t *key,
    int64_t place, double rate, int64_t head, zrt_dtype dtype, int32_t products,
    int64_t heads, const void *grad, int64_t grad_stride, int64_t grad_head,
    const void *q, int64_t q_stride, int64_t q_head, const void *k,
    int64_t k_stride, const void *v, int64_t v_stride, const float *lse,
    const float *delta, int64_t stats_head, void *dq, int64_t dq_stride,
    int64_t dq_head, void *dk, int64_t dk_stride, void *dv, int64_t dv_stride) {
  const std::optional<Dropout> dropout = dropoutOf(key, place, rate);
  withType(dtype, [&](auto type) {
    using T = decltype(type);
    targetFor<T>(width, products)
        .attendBackward(
            {{queries, keys, width, scale, causal != 0, window, soft_cap,
              starts, dropout ? &*dropout : nullptr, head},
             {static_cast<const T *>(grad), grad_stride},
             {static_cast<const T *>(q), q_stride},
             {static_cast<const T *>(k), k_stride},
             {static_cast<const T *>(v), v_stride},
             lse,
             delta,
             {static_cast<T *>(dq), dq_stride},
             {static_cast<T *>(dk), dk_stride},
             {static_cast<T *>(dv), dv_stride},
             {heads, grad_head, q_head, stats_head, dq_head}},
            scratch());
  });
}

extern "C" void zrt_attention_sums(int64_t queries, int64_t width,
                                   zrt_dtype dtype, int32_t /*products*/,
                                   int64_t heads, const void *grad,
                                   int64_t grad_stride, int64_t grad_head,
                                   const void *out, int64_t out_stride,
                                   int64_t out_head, float *sums,
                                   int64_t sums_head) {
  withType(dtype, [&](auto type) {
    using T = decltype(type);
    for (int64_t head = 0; head < heads; ++head)
      for (int64_t i = 0; i < queries; ++i) {
        const T *a = static_cast<const T *>(grad) + head * grad_head +
                     i * grad_stride,
                *b = static_cast<const T *>(out) + head * out_head +
                     i * out_stride;
        float sum = 0;
        for (int64_t d = 0; d < width; ++d)
          sum += widen(a[d]) * widen(b[d]);
        sums[head * sums_head + i] = sum;
      }
  });
}

extern "C" void zrt_cached_attention(
    int64_t queries, int64_t positions, int64_t width, float scale,
    float soft_cap, int64_t window, const int32_t *begin, const int32_t *count,
    const int32_t *start, zrt_dtype dtype, int32_t products, int64_t heads,
    const void *q, int64_t q_stride, int64_t q_head, const void *k,
    int64_t k_stride, const void *v, int64_t v_stride, void *keys,
    int64_t keys_stride, void *values, int64_t values_stride, void *out,
    int64_t out_stride, int64_t out_head) {
  const int64_t first = std::clamp<int64_t>(*begin, 0, positions),
                rows = std::clamp<int64_t>(
                    *count, 0, std::min(queries, positions - first));
  AttentionShape shape{rows, first + rows, width, scale, true, window};
  shape.softCap = soft_cap;
  shape.positions = positions;
  shape.start = start ? *start : 0;
  withType(dtype, [&](auto type) {
    using T = decltype(type);
    const Rows<T> cachedKeys{static_cast<T *>(keys), keys_stride},
        cachedValues{static_cast<T *>(values), values_stride};
    copyRows<T>({static_cast<const T *>(k), k_stride}, rows, width,
                rowsFrom(cachedKeys, first));
    copyRows<T>({static_cast<const T *>(v), v_stride}, rows, width,
                rowsFrom(cachedValues, first));
    const Rows<const T> query{static_cast<const T *>(q), q_stride};
    const Rows<T> result{static_cast<T *>(out), out_stride};
    const auto head = [&](int64_t h) -> AttentionOf<T> {
      return {shape,
              ofHead(query, h, q_head),
              {cachedKeys.at, keys_stride},
              {cachedValues.at, values_stride},
              ofHead(result, h, out_head)};
    };
    const Target<T> &by = targetFor<T>(width, products);
    if (rows > 0 && rows <= kFewQueries && by.attendFew) {
      const AttentionOf<T> one = head(0);
      by.attendFew(
          {shape, one.q, one.k, one.v, one.out, heads, q_head, out_head},
          scratch());
    } else if (rows > 0) {
      for (int64_t h = 0; h < heads; ++h)
        by.attend(head(h), scratch());
    }
    for (int64_t h = 0; h < heads; ++h)
      clearRows(ofHead(result, h, out_head), rows, queries, width);
  });
}
