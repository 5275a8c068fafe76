//===- RankedSums.cpp - Sums of collectives on a GPU ----------------------===//
#include "runtime/device/cuda/collectives/RankedSums.h"

#include "abi/DeviceEntries.h"

#include <bit>
#include <vector>

using namespace zrt;
using namespace zrt::cuda;

namespace {

/// The parameters of zrt_ranked_sum_* (ZrtStructs.def).
struct HowToAdd {
  int64_t ranks, stride;
  uint64_t scale; ///< bits of an f64
  int64_t accumulates, isAligned;
};

/// The bytes that the kernel reads at once.
constexpr uint64_t kAlignment = 16;

std::string kernelOf(const zrt_collective_desc &desc) {
  return rankedSumEntry(dtypeName(desc.source.dtype),
                        dtypeName(desc.result.dtype));
}

} // namespace

RankedSums::RankedSums(const CollectiveDevice &device, const Stride &stride)
    : kernels(device.kernels) {
  const RankGroups groups(device.plan);
  std::vector<HowToAdd> how;
  forEachCollective(
      device.plan, [&](zrt_stream, const zrt_collective_desc &desc) {
        if (desc.kind == ZRT_ALL_GATHER || desc.kind == ZRT_ALL_TO_ALL ||
            sums.contains(&desc))
          return;
        sums[&desc] = {&kernels.find(kernelOf(desc)),
                       how.size() * sizeof(HowToAdd)};
        // Sums in f32 are scaled in f32.
        const double scale = desc.source.dtype == ZRT_F64
                                 ? desc.scale
                                 : double(static_cast<float>(desc.scale));
        const uint64_t bytes = stride(desc);
        for (const bool isAligned : {false, true})
          how.push_back({groups.countOver(desc.over),
                         int64_t(bytes / dtypeBytes(desc.source.dtype)),
                         std::bit_cast<uint64_t>(scale), desc.accumulate != 0,
                         isAligned && bytes % kAlignment == 0});
      });
  const uint64_t bytes = how.size() * sizeof(HowToAdd);
  table = std::make_unique<GpuMemory>(device.gpu, bytes, "a table of sums");
  if (bytes == 0)
    return;
  device.gpu.MemcpyHtoD(table->at(0), how.data(), bytes);
  device.gpu.StreamSynchronize(nullptr);
}

void RankedSums::add(const CollectiveCall &call, CUdeviceptr contributions,
                     CUdeviceptr result, uint64_t elements) const {
  const Sum &sum = sums.at(&call.desc);
  const bool isAligned = (contributions | result) % kAlignment == 0;
  const uint64_t how = sum.how + (isAligned ? sizeof(HowToAdd) : 0);
  const uint64_t parameters[] = {contributions, table->at(how), result,
                                 elements};
  kernels.launch(call.queue, *sum.kernel, int64_t(elements), parameters);
}
