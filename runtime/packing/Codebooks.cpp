//===- Codebooks.cpp - What the codes of packed parameters stand for ------===//
#include "runtime/packing/Codebooks.h"

#include <algorithm>

using namespace zrt;

static std::array<float, 256> makeScaleFloats() {
  constexpr double kDecades[] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1};
  std::array<float, 256> values = {};
  size_t count = 0;
  int steps = 1; // 2^e
  for (const double decade : kDecades) {
    for (int i = 0; i < steps; ++i) {
      const double value = decade * (0.1 + 0.9 * (i + 0.5) / steps);
      values[count++] = static_cast<float>(value);
      values[count++] = static_cast<float>(-value);
    }
    steps *= 2;
  }
  values[count++] = 0;
  values[count++] = 1;
  std::sort(values.begin(), values.end());
  return values;
}

const std::array<float, 256> &zrt::scaleFloats() {
  static const std::array<float, 256> values = makeScaleFloats();
  return values;
}
