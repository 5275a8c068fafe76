//===- Attention.h - Attention of one batch and head ------------*- C++ -*-===//
//
// The bits are a function of the operands alone, and the same on all processors
// with FMA, whatever the width of their vectors.
//
//===----------------------------------------------------------------------===//
#ifndef ZRT_DEVICE_CPU_ATTENTION_ATTENTION_H
#define ZRT_DEVICE_CPU_ATTENTION_ATTENTION_H

#include <cstdint>

namespace zrt {

/// A matrix whose rows are contiguous and `stride` elements apart.
template <typename T>
struct Rows {
  T *at = nullptr;
  int64_t stride = 0;
};

/// Which rows see which: with `causal`, query i sees keys up to
/// i + keys - queries.
struct AttentionShape {
  int64_t queries = 0, keys = 0, width = 0;
  float scale = 1;
  bool causal = false;
};

/// out = softmax(scale q k^T) v
struct Attention {
  AttentionShape shape;
  Rows<const float> q, k, v;
  Rows<float> out;
  float *lse = nullptr; ///< log of each row's sum of exponentials; may be null
};

/// The adjoints of q, k and v, given that of out.
struct AttentionBackward {
  AttentionShape shape;
  Rows<const float> grad, q, k, v;
  const float *lse = nullptr;
  Rows<float> dq, dk, dv;
};

} // namespace zrt

#endif // ZRT_DEVICE_CPU_ATTENTION_ATTENTION_H
