//===- Utilization.h - How much of the machine steps use --------*- C++ -*-===//
//
// Flops of a step's matrix products, by its time, of the rate that products of
// these elements reach here alone.  What is computed twice (--remat) counts
// twice; attention and what is no product do not count.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/zrt.h"

#include <string>

namespace zrt {

class Utilization {
public:
  /// Measures how fast products are, for about 0.1 s; all ranks do at once, so
  /// that they share the machine as in a step.  Throws zrt::Error for a plan
  /// without products.
  void measure(zrt_context *ctx, const zrt_plan &plan);
  /// Of a step of so many milliseconds, at most about 1.
  double of(double milliseconds) const {
    return flops / (milliseconds * 1e-3) / rate;
  }
  /// "matrix products reach 71.3 % of the 193 GFLOP/s of a rank"
  std::string text(double milliseconds) const;

private:
  double flops = 0, rate = 1;
};

} // namespace zrt
