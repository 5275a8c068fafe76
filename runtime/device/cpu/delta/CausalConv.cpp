//===- CausalConv.cpp - Causal convolutions with kept inputs --------------===//
//
// Without FMA, as the code that zeroc makes of nn.causal_conv: products are
// rounded, and added from the earliest position on.
//
//===----------------------------------------------------------------------===//
#include "abi/zrt.h"

#include <algorithm>
#include <cstring>

namespace {

/// The term of a tap in all channels; `row` is null before position 0.
struct Term {
  const float *row, *weight;
  int64_t weightStride;
  bool isSeen; ///< of the document
  float at(int64_t c) const {
    const float product = (row ? row[c] : 0.0f) * weight[c * weightStride];
    return isSeen ? product : 0.0f;
  }
};

} // namespace

extern "C" void
zrt_cached_causal_conv(int64_t rows, int64_t channels, int64_t taps,
                       int64_t kept, const int32_t *begin, const int32_t *count,
                       const int32_t *start, const float *x, int64_t x_stride,
                       const float *weight, int64_t weight_stride,
                       float *inputs, float *out, int64_t out_stride) {
  const int64_t first = std::max<int64_t>(*begin, 0),
                some = std::clamp<int64_t>(*count, 0, rows);
  const auto keptRow = [&](int64_t position) {
    return inputs + position % kept * channels;
  };
  for (int64_t i = 0; i < some; ++i) {
    float *const to = out + i * out_stride;
    for (int64_t tap = 0; tap < taps; ++tap) {
      const int64_t back = taps - 1 - tap, position = first + i - back;
      const Term term = {position < 0 ? nullptr
                         : back <= i  ? x + (i - back) * x_stride
                                      : keptRow(position),
                         weight + tap, weight_stride,
                         !start || position >= *start};
      for (int64_t c = 0; c < channels; ++c)
        to[c] = tap == 0 ? term.at(c) : to[c] + term.at(c);
    }
  }
  for (int64_t i = 0; i < some; ++i)
    std::memcpy(keptRow(first + i), x + i * x_stride,
                size_t(channels) * sizeof(float));
  for (int64_t i = some; i < rows; ++i)
    std::memset(out + i * out_stride, 0, size_t(channels) * sizeof(float));
}
