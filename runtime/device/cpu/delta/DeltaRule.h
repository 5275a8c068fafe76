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
/// and beta have one.  `beta.at` is null where u = v.  `starts`, if not null,
/// are those of each position, or one of all with a stride of 0.
struct DeltaRule {
  int64_t positions = 0, keyWidth = 0, valueWidth = 0;
  Rows<const int32_t> starts;
  Rows<const float> q, k, v, gate, beta;
  int64_t begin = 0; ///< the position of the first row
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

/// What is kept of a sequence for a head of values: the state before the chunk
/// of the next position, and rows of this chunk, of which there are
/// `position % 64`: keys, u and decays.
struct DeltaCache {
  float *state = nullptr; ///< keyWidth x valueWidth
  float *keys = nullptr;  ///< 64 x keyWidth
  float *updates = nullptr;
  float *decays = nullptr;
};

/// `rule.begin` positions were read before; `kept` and `out` are those of the
/// first of the heads, which share q, k and the kept keys.
struct CachedDeltaRule {
  DeltaRule rule;
  Rows<float> out;
  DeltaCache kept;
  ValueHeads heads = {};
  int64_t outHead = 0, updatesHead = 0, decaysHead = 0;
};

// Loops.inc is compiled once for each.  `states` gets keyWidth x valueWidth
// numbers for each chunk, or is null; `memory` has ZRT_PACKING_BYTES.
#define ZRT_DELTA_TARGET(NAME)                                                 \
  namespace NAME {                                                             \
  void applyDeltaRule(const DeltaRule &rule, Rows<float> out, float *states,   \
                      float *memory);                                          \
  void applyDeltaRuleBackward(const DeltaRuleBackward &rule, float *memory);   \
  void applyCachedDeltaRule(const CachedDeltaRule &rule, float *memory);       \
  }
ZRT_DELTA_TARGET(portable)
#ifdef __x86_64__
ZRT_DELTA_TARGET(avx2)
ZRT_DELTA_TARGET(avx512)
#endif
#undef ZRT_DELTA_TARGET

} // namespace zrt
