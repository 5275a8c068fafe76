//===- ConnectGpus.cpp - Connects the GPUs of a plan ----------------------===//
#include "runtime/device/cuda/exchange/ConnectGpus.h"

#include "runtime/Error.h"
#include "runtime/device/cuda/exchange/DirectExchange.h"
#include "runtime/device/cuda/exchange/GpuCollectives.h"
#include "runtime/world/World.h"

using namespace zrt;
using namespace zrt::cuda;

namespace {

std::shared_ptr<Exchange> makeExchange(const ExchangeDevice &device) {
  if (exchangesBy(device.plan, "nccl"))
    return makeNcclExchange(device);
  if (exchangesBy(device.plan, "direct"))
    return std::make_shared<DirectExchange>(device);
  fail("this runtime does not know --collectives={}; compile the model again",
       device.plan.collectives);
}

/// Throws unless the GPU executes the collectives of the plan, and streams that
/// wait for peers do not block other streams.
void checkStreams(const ExchangeDevice &device) {
  const int64_t queues = environmentNumber(
      "CUDA_DEVICE_MAX_CONNECTIONS", device.plan.stream_count, /*most=*/32);
  if (queues < int64_t(device.plan.stream_count))
    fail("CUDA_DEVICE_MAX_CONNECTIONS is {}, and the plan has {} streams, of "
         "which some wait for other ranks and must not hold the rest; unset it",
         queues, device.plan.stream_count);
  forEachCollective(
      device.plan, [&](zrt_stream stream, const zrt_collective_desc &desc) {
        if (!device.streams.isOnGpu(stream))
          fail("{}: it runs on stream {}, which is not the GPU's; compile with "
               "--collectives=host",
               ExchangeCall::nameOf(desc), device.plan.streams[stream].name);
      });
}

} // namespace

Connect cuda::connectGpus(const ExchangeDevice &device) {
  checkStreams(device);
  return [device, exchange = makeExchange(device)](
             World &world, std::unique_ptr<Transport> host) {
    return std::make_unique<GpuCollectives>(device, exchange, world,
                                            std::move(host));
  };
}
