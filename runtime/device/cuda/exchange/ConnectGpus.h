//===- ConnectGpus.h - How the GPUs of a plan exchange ----------*- C++ -*-===//
#pragma once

#include "runtime/core/Collectives.h"
#include "runtime/device/cuda/exchange/Exchange.h"

#include <functional>
#include <memory>
#include <string_view>

namespace zrt::cuda {

/// The exchange with which ranks find out whether they can.
constexpr const char *kFirstExchange = "the first exchange between GPUs";

/// Whether the GPUs of a plan exchange `how`: "host", "nccl", "direct".
inline bool exchangesBy(const zrt_plan &plan, std::string_view how) {
  return plan.world_size > 1 &&
         how == (plan.collectives ? plan.collectives : "host");
}

/// Whether what ranks exchange stays on GPUs.
inline bool exchangesOnGpus(const zrt_plan &plan) {
  return plan.world_size > 1 && !exchangesBy(plan, "host");
}

using Connect = std::function<std::unique_ptr<Collectives>(
    World &, std::unique_ptr<Transport>)>;

/// For plans whose GPUs exchange: opens what they need; the function connects the
/// ranks, which call it together.  Throws zrt::Error, also where this build is
/// without it.
Connect connectGpus(const ExchangeDevice &device);

/// By NCCL.  Throws zrt::Error where this build is without it, or the library is
/// not there.
std::shared_ptr<Exchange> makeNcclExchange(const ExchangeDevice &device);

} // namespace zrt::cuda
