//===- SumSquares.cpp - One block's sum of squares ------------------------===//
//
// Sixteen running sums: lane l takes the elements l, l + 16, l + 32, ...; at
// the end lanes 8 apart are added, then 4, 2 and 1 apart.  Any vector width up
// to sixteen computes these very sums, and with or without FMA: the square of
// an f32 is exact in f64.
//
//===----------------------------------------------------------------------===//
#include "runtime/device/cpu/SumSquares.h"

#include "runtime/core/Clones.h"

ZRT_CLONES double zrt::sumSquares(const float *values, size_t count) {
  constexpr size_t kLanes = 16;
  double lanes[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const double value = values[i + lane];
      lanes[lane] += value * value;
    }
  for (size_t lane = 0; i + lane < count; ++lane) {
    const double value = values[i + lane];
    lanes[lane] += value * value;
  }
  for (size_t stride = kLanes / 2; stride > 0; stride /= 2)
    for (size_t lane = 0; lane < stride; ++lane)
      lanes[lane] += lanes[lane + stride];
  return lanes[0];
}
