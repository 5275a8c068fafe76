//===- Utilization.h - How much of the machine steps use --------*- C++ -*-===//
//
// Flops of a step's products and attention, by its time, of the rate that its
// products reach here alone:
//
//   MFU   model flops utilization: each product of the model counts once
//   HFU   hardware flops utilization: what is executed; what is computed twice
//         (--remat, scores of attention in the backward pass) counts twice
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
  /// Of a step of so many milliseconds, about 1 at most.
  double ofModel(double milliseconds) const {
    return share(model, milliseconds);
  }
  double ofExecuted(double milliseconds) const {
    return share(executed, milliseconds);
  }
  /// "MFU 51.3 %, HFU 71.2 % of the 193 GFLOP/s that ..."
  std::string text(double milliseconds) const;

private:
  double share(double flops, double milliseconds) const {
    return flops / (milliseconds * 1e-3) / rate;
  }

  double model = 0, executed = 0, rate = 1;
};

} // namespace zrt
