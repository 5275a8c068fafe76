//===- Attention.h - Attention of one batch and head ------------*- C++ -*-===//
//
// The bits are a function of the operands alone, and the same on all processors
// with FMA, whatever the width of their vectors.  Operands of 16 bits are
// widened when they are copied, all sums are in f32, and results are rounded
// once.
//
//===----------------------------------------------------------------------===//
#ifndef ZRT_DEVICE_CPU_ATTENTION_ATTENTION_H
#define ZRT_DEVICE_CPU_ATTENTION_ATTENTION_H

#include "runtime/HalfFloats.h"

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

/// out = softmax(scale q k^T) v; T is float, Brain or Half.
template <typename T>
struct AttentionOf {
  AttentionShape shape;
  Rows<const T> q, k, v;
  Rows<T> out;
  float *lse = nullptr; ///< log of each row's sum of exponentials; may be null
};
using Attention = AttentionOf<float>;

/// The adjoints of q, k and v, given that of out.
template <typename T>
struct AttentionBackwardOf {
  AttentionShape shape;
  Rows<const T> grad, q, k, v;
  const float *lse = nullptr;
  Rows<T> dq, dk, dv;
};
using AttentionBackward = AttentionBackwardOf<float>;

} // namespace zrt

#endif // ZRT_DEVICE_CPU_ATTENTION_ATTENTION_H
