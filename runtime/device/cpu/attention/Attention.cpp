//===- Attention.cpp - Which loops, and what kernels call -----------------===//
#include "runtime/device/cpu/attention/Attention.h"

#include "runtime/device/cpu/Scratch.h"
#include "runtime/device/cpu/attention/Targets.h"
#include "runtime/device/cpu/gemm/Gemm.h"
#include "runtime/zrt.h"

using namespace zrt;

namespace {

struct Target {
  void (*attend)(const Attention &, float *);
  void (*attendBackward)(const AttentionBackward &, float *);
};

const Target &target() {
  static const Target chosen = []() -> Target {
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

} // namespace

extern "C" void zrt_attention(int64_t queries, int64_t keys, int64_t width,
                              float scale, int32_t causal, const float *q,
                              int64_t q_stride, const float *k,
                              int64_t k_stride, const float *v,
                              int64_t v_stride, float *out, int64_t out_stride,
                              float *lse) {
  target().attend({{queries, keys, width, scale, causal != 0},
                   {q, q_stride},
                   {k, k_stride},
                   {v, v_stride},
                   {out, out_stride},
                   lse},
                  scratch());
}

extern "C" void zrt_attention_backward(
    int64_t queries, int64_t keys, int64_t width, float scale, int32_t causal,
    const float *grad, int64_t grad_stride, const float *q, int64_t q_stride,
    const float *k, int64_t k_stride, const float *v, int64_t v_stride,
    const float *lse, float *dq, int64_t dq_stride, float *dk,
    int64_t dk_stride, float *dv, int64_t dv_stride) {
  target().attendBackward({{queries, keys, width, scale, causal != 0},
                           {grad, grad_stride},
                           {q, q_stride},
                           {k, k_stride},
                           {v, v_stride},
                           lse,
                           {dq, dq_stride},
                           {dk, dk_stride},
                           {dv, dv_stride}},
                          scratch());
}
