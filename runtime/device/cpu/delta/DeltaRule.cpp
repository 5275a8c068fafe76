//===- DeltaRule.cpp - Entry points of the gated delta rule ---------------===//
#include "runtime/device/cpu/delta/DeltaRule.h"

#include "abi/zrt.h"
#include "runtime/device/cpu/gemm/Gemm.h"
#include "runtime/device/cpu/gemm/Scratch.h"

#include <algorithm>
#include <cstring>

using namespace zrt;

namespace {

struct CompiledRule {
  void (*forward)(const DeltaRule &, Rows<float>, float *, float *);
  void (*backward)(const DeltaRuleBackward &, float *);
  void (*cached)(const CachedDeltaRule &, float *);
};

const CompiledRule &compiledRule() {
  static const CompiledRule chosen = []() -> CompiledRule {
#ifdef __x86_64__
    if (instructionSet() == InstructionSet::Avx512)
      return {avx512::applyDeltaRule, avx512::applyDeltaRuleBackward,
              avx512::applyCachedDeltaRule};
    if (instructionSet() == InstructionSet::Avx2)
      return {avx2::applyDeltaRule, avx2::applyDeltaRuleBackward,
              avx2::applyCachedDeltaRule};
#endif
    return {portable::applyDeltaRule, portable::applyDeltaRuleBackward,
            portable::applyCachedDeltaRule};
  }();
  return chosen;
}

} // namespace

extern "C" void
zrt_gated_delta_rule(int64_t positions, int64_t key_width, int64_t value_width,
                     const int32_t *starts, const float *q, int64_t q_stride,
                     const float *k, int64_t k_stride, const float *v,
                     int64_t v_stride, const float *gate, int64_t gate_stride,
                     const float *beta, int64_t beta_stride, float *out,
                     int64_t out_stride, float *states) {
  compiledRule().forward({positions,
                          key_width,
                          value_width,
                          {starts, 1},
                          {q, q_stride},
                          {k, k_stride},
                          {v, v_stride},
                          {gate, gate_stride},
                          {beta, beta_stride}},
                         {out, out_stride}, states, scratch());
}

extern "C" void zrt_gated_delta_rule_backward(
    int64_t positions, int64_t key_width, int64_t value_width,
    const int32_t *starts, int64_t heads, const float *grad,
    int64_t grad_stride, int64_t grad_head, const float *q, int64_t q_stride,
    const float *k, int64_t k_stride, const float *v, int64_t v_stride,
    int64_t v_head, const float *gate, int64_t gate_stride, int64_t gate_head,
    const float *beta, int64_t beta_stride, int64_t beta_head,
    const float *states, int64_t states_head, float *dq, int64_t dq_stride,
    float *dk, int64_t dk_stride, float *dv, int64_t dv_stride, int64_t dv_head,
    float *dgate, int64_t dgate_stride, int64_t dgate_head, float *dbeta,
    int64_t dbeta_stride, int64_t dbeta_head) {
  compiledRule().backward({{positions,
                            key_width,
                            value_width,
                            {starts, 1},
                            {q, q_stride},
                            {k, k_stride},
                            {v, v_stride},
                            {gate, gate_stride},
                            {beta, beta_stride}},
                           {grad, grad_stride},
                           states,
                           {dq, dq_stride},
                           {dk, dk_stride},
                           {dv, dv_stride},
                           {dgate, dgate_stride},
                           {dbeta, dbeta_stride},
                           {heads, grad_head, v_head, gate_head, beta_head,
                            states_head, dv_head, dgate_head, dbeta_head}},
                          scratch());
}

extern "C" void zrt_cached_delta_rule(
    int64_t rows, int64_t key_width, int64_t value_width, const int32_t *begin,
    const int32_t *count, const int32_t *start, int64_t heads, const float *q,
    int64_t q_stride, const float *k, int64_t k_stride, const float *v,
    int64_t v_stride, int64_t v_head, const float *gate, int64_t gate_stride,
    int64_t gate_head, const float *beta, int64_t beta_stride,
    int64_t beta_head, float *state, int64_t state_head, float *keys,
    float *updates, int64_t updates_head, float *decays, int64_t decays_head,
    float *out, int64_t out_stride, int64_t out_head) {
  const int64_t some = std::clamp<int64_t>(*count, 0, rows);
  if (some > 0)
    compiledRule().cached({{some,
                            key_width,
                            value_width,
                            {start, 0},
                            {q, q_stride},
                            {k, k_stride},
                            {v, v_stride},
                            {gate, gate_stride},
                            {beta, beta_stride},
                            std::max<int64_t>(*begin, 0)},
                           {out, out_stride},
                           {state, keys, updates, decays},
                           {.count = heads,
                            .v = v_head,
                            .gate = gate_head,
                            .beta = beta_head,
                            .states = state_head},
                           out_head,
                           updates_head,
                           decays_head},
                          scratch());
  for (int64_t h = 0; h < heads; ++h)
    for (int64_t i = some; i < rows; ++i)
      std::memset(out + h * out_head + i * out_stride, 0,
                  size_t(value_width) * sizeof(float));
}
