//===- Utilization.h - Measures the utilization of the machine --*- C++ -*-===//
//
// The rate of a step (the flops of its products and attention, divided by its
// time) as a share of the rate that its products reach when they run alone:
//
//   MFU   model flops utilization: each product of the model counts once
//   HFU   hardware flops utilization: all executed flops; recomputation
//         (--remat, scores of attention in the backward pass) counts, too
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"
#include "train/report/StepHook.h"

#include <string>

namespace zrt {

class Utilization : public StepHook {
public:
  /// Measures the rate of products, for about 0.1 s; all ranks measure at the
  /// same time, so that they share the machine as in a step.  Throws zrt::Error
  /// for a plan without products.
  Utilization(zrt_context *ctx, const zrt_plan &plan);
  void afterStep(StepMetrics &step) override {
    step.mfu = share(model, step.milliseconds);
    step.hfu = share(executed, step.milliseconds);
  }
  /// "MFU 51.3 %, HFU 71.2 % of the 193 GFLOP/s that ..."
  std::string text(double milliseconds) const;

private:
  /// The share that `flops` in a step of so many milliseconds are; at most
  /// about 1.
  double share(double flops, double milliseconds) const {
    return flops / (milliseconds * 1e-3) / rate;
  }

  double model = 0, executed = 0, rate = 1;
};

} // namespace zrt
