//===- ConnectNccl.cpp - GPUs that exchange by NCCL -----------------------===//
#include "runtime/device/cuda/ConnectNccl.h"

#include "runtime/device/cuda/NcclCollectives.h"

using namespace zrt;
using namespace zrt::cuda;

Connect cuda::openNccl(const NcclDevice &device) {
  return [device, nccl = std::make_shared<const Nccl>()](
             World &world, std::unique_ptr<Transport> host) {
    return std::make_unique<NcclCollectives>(device, nccl, world,
                                             std::move(host));
  };
}
