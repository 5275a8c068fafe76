//===- GpuCollectives.h - Collectives that stay on GPUs ---------*- C++ -*-===//
#pragma once

#include "runtime/core/Collectives.h"
#include "runtime/device/cuda/collectives/Backend.h"

#include <functional>
#include <memory>
#include <string_view>

namespace zrt::cuda {

/// Returns true if the GPUs of a plan exchange by `how`: "host", "nccl",
/// "direct".
inline bool communicatesBy(const zrt_plan &plan, std::string_view how) {
  return plan.world_size > 1 &&
         how == (plan.collectives ? plan.collectives : "host");
}

/// Returns true if exchanged data stays on GPUs.
inline bool communicatesOnGpus(const zrt_plan &plan) {
  return plan.world_size > 1 && !communicatesBy(plan, "host");
}

using Connect = std::function<std::unique_ptr<Collectives>(
    World &, std::unique_ptr<Transport>)>;

/// For plans whose GPUs exchange data: opens the backend, and returns the
/// function that connects the ranks, which call it together.  Throws
/// zrt::Error, also if this build lacks the backend.
Connect connectGpus(const CollectiveDevice &device);

} // namespace zrt::cuda
