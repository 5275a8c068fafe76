//===- Attention.cpp - Entry points of attention --------------------------===//
#include "runtime/device/cpu/attention/Attention.h"

#include "abi/zrt.h"
#include "runtime/device/cpu/attention/Targets.h"
#include "runtime/device/cpu/gemm/Gemm.h"
#include "runtime/device/cpu/gemm/Scratch.h"

#include <optional>

using namespace zrt;

namespace {

template <typename T>
struct Target {
  void (*attend)(const AttentionOf<T> &, float *);
  void (*attendBackward)(const AttentionBackwardOf<T> &, float *);
};

template <typename T>
const Target<T> &target() {
  static const Target<T> chosen = []() -> Target<T> {
#ifdef __x86_64__
    if (instructionSet() == InstructionSet::Avx512)
      return {avx512::attend, avx512::attendBackward};
    if (instructionSet() == InstructionSet::Avx2)
      return {avx2::attend, avx2::attendBackward};
#endif
    return {portable::attend, portable::attendBackward};
  }();
  return chosen;
}

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

} // namespace

extern "C" void zrt_attention(int64_t queries, int64_t keys, int64_t width,
                              float scale, float soft_cap, int32_t causal,
                              int64_t window, const int32_t *starts,
                              const int64_t *key, int64_t place, double rate,
                              int64_t head, zrt_dtype dtype, const void *q,
                              int64_t q_stride, const void *k, int64_t k_stride,
                              const void *v, int64_t v_stride, void *out,
                              int64_t out_stride, float *lse) {
  const std::optional<Dropout> dropout = dropoutOf(key, place, rate);
  withType(dtype, [&](auto type) {
    using T = decltype(type);
    target<T>().attend({{queries, keys, width, scale, causal != 0, window,
                         soft_cap, starts, dropout ? &*dropout : nullptr, head},
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
    int64_t place, double rate, int64_t head, zrt_dtype dtype, int64_t heads,
    const void *grad, int64_t grad_stride, int64_t grad_head, const void *q,
    int64_t q_stride, int64_t q_head, const void *k, int64_t k_stride,
    const void *v, int64_t v_stride, const float *lse, int64_t lse_head,
    void *dq, int64_t dq_stride, int64_t dq_head, void *dk, int64_t dk_stride,
    void *dv, int64_t dv_stride) {
  const std::optional<Dropout> dropout = dropoutOf(key, place, rate);
  withType(dtype, [&](auto type) {
    using T = decltype(type);
    target<T>().attendBackward(
        {{queries, keys, width, scale, causal != 0, window, soft_cap, starts,
          dropout ? &*dropout : nullptr, head},
         {static_cast<const T *>(grad), grad_stride},
         {static_cast<const T *>(q), q_stride},
         {static_cast<const T *>(k), k_stride},
         {static_cast<const T *>(v), v_stride},
         lse,
         {static_cast<T *>(dq), dq_stride},
         {static_cast<T *>(dk), dk_stride},
         {static_cast<T *>(dv), dv_stride},
         {heads, grad_head, q_head, lse_head, dq_head}},
        scratch());
  });
}
