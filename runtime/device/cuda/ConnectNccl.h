//===- ConnectNccl.h - GPUs that exchange by NCCL, if built -----*- C++ -*-===//
#ifndef ZRT_DEVICE_CUDA_CONNECT_NCCL_H
#define ZRT_DEVICE_CUDA_CONNECT_NCCL_H

#include "runtime/core/Collectives.h"
#include "runtime/device/cuda/Kernels.h"
#include "runtime/device/cuda/Streams.h"
#include "runtime/transport/Transport.h"

#include <functional>
#include <memory>
#include <string_view>

namespace zrt::cuda {

/// Whether the GPUs of a plan exchange among themselves.
inline bool usesNccl(const zrt_plan &plan) {
  return plan.world_size > 1 && plan.collectives &&
         std::string_view(plan.collectives) == "nccl";
}

/// What NCCL exchanges, and where; outlives the collectives.
struct NcclDevice {
  const Gpu &gpu;
  const zrt_plan &plan;
  const Kernels &kernels;
  Streams &streams;
  /// Where the GPU finds what lies on any tier but nvme.
  std::function<CUdeviceptr(const zrt_ref &)> address;
};

using Connect = std::function<std::unique_ptr<Collectives>(
    World &, std::unique_ptr<Transport>)>;

/// Opens NCCL; the function connects the ranks, which call it together.  Throws
/// zrt::Error, also where this build is without NCCL.
Connect openNccl(const NcclDevice &device);

} // namespace zrt::cuda

#endif // ZRT_DEVICE_CUDA_CONNECT_NCCL_H
