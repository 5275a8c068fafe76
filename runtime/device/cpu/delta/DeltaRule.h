//===- DeltaRule.h - The gated delta rule of one batch and head -*- C++ -*-===//
//
// The formulas are those of nn.gated_delta_rule.  The bits depend only on the
// operands, and are the same on all processors with FMA, whatever their vector
// width.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/numbers/Rows.h"

namespace zrt {

/// Rows of q and k have keyWidth elements, those of v have valueWidth; gates
/// and beta have one.  `beta.at` is null where u = v.
struct DeltaRule {
  int64_t positions = 0, keyWidth = 0, valueWidth = 0;
  const int32_t *starts = nullptr; ///< one per position, or null
  Rows<const float> q, k, v, gate, beta;
};

/// The heads of values that share a head of keys, and the distance of these in
/// each array, in elements.
struct ValueHeads {
  int64_t count = 1;
  int64_t grad = 0, v = 0, gate = 0, beta = 0, states = 0, dv = 0, dgate = 0,
          dbeta = 0;
};

/// `grad` is the gradient of out.  Those of q and k are sums over the heads, in
/// order.
struct DeltaRuleBackward {
  DeltaRule rule;
  Rows<const float> grad;
  const float *states = nullptr; ///< as the forward pass left them
  Rows<float> dq, dk, dv, dgate, dbeta;
  ValueHeads heads = {};
};

// Loops.inc is compiled once for each.  `states` gets keyWidth x valueWidth
// numbers for each chunk, or is null; `memory` has ZRT_PACKING_BYTES.
#define ZRT_DELTA_TARGET(NAME)                                                 \
  namespace NAME {                                                             \
  void applyDeltaRule(const DeltaRule &rule, Rows<float> out, float *states,   \
                      float *memory);                                          \
  void applyDeltaRuleBackward(const DeltaRuleBackward &rule, float *memory);   \
  }
ZRT_DELTA_TARGET(portable)
#ifdef __x86_64__
ZRT_DELTA_TARGET(avx2)
ZRT_DELTA_TARGET(avx512)
#endif
#undef ZRT_DELTA_TARGET

} // namespace zrt
