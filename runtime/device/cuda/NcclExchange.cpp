//===- NcclExchange.cpp - all_gather, reduce_scatter, all_reduce ----------===//
//
// What a rank receives is counted as it is asked for: NCCL does not say what came.
//
//===----------------------------------------------------------------------===//
#include "runtime/PlanTable.h"
#include "runtime/device/cuda/NcclCollectives.h"

#include <algorithm>

using namespace zrt;
using namespace zrt::cuda;

namespace {

void *pointer(CUdeviceptr address) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return reinterpret_cast<void *>(uintptr_t(address));
}

/// The first of these that is no success.
ncclResult_t worse(ncclResult_t a, ncclResult_t b) {
  return a == ncclSuccess || a == ncclInProgress ? b : a;
}

} // namespace

uint64_t NcclCollectives::sliceBytes(const zrt_collective_desc &desc) const {
  return desc.elements * dtypeBytes(desc.source.dtype) / uint64_t(ranks);
}

uint64_t NcclCollectives::chunkBytes(const zrt_collective_desc &desc) const {
  const auto upTo = [](uint64_t bytes) {
    return (bytes + kContribution - 1) / kContribution * kContribution;
  };
  const uint64_t share = stageBytes / uint64_t(ranks);
  return std::min(std::max(share / kContribution, uint64_t{1}) * kContribution,
                  upTo(sliceBytes(desc)));
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Slices of all ranks; `mine` may be the rank's of `all`.
void NcclCollectives::gather(const Call &call, CUdeviceptr mine,
                             CUdeviceptr all, uint64_t bytes) const {
  call.lane.all.issue(call.name(), [&](ncclComm_t ring) {
    return nccl->AllGather(pointer(mine), pointer(all), bytes, ncclUint8, ring,
                           call.stream);
  });
  call.row.bytes += uint64_t(ranks - 1) * bytes;
}

/// Sends each peer p what lies at `source` + p `apart`; what p sends comes to
/// `stride` p of the stage.
void NcclCollectives::swap(const Call &call, CUdeviceptr source, uint64_t apart,
                           uint64_t bytes, uint64_t stride) const {
  call.lane.all.issue(call.name(), [&](ncclComm_t ring) {
    ncclResult_t result = nccl->GroupStart();
    for (int peer = 0; peer < ranks; ++peer) {
      if (peer == rank)
        continue;
      const CUdeviceptr from = source + uint64_t(peer) * apart,
                        to = call.lane.stage.at(uint64_t(peer) * stride);
      result = worse(result, nccl->Send(pointer(from), bytes, ncclUint8, peer,
                                        ring, call.stream));
      result = worse(result, nccl->Recv(pointer(to), bytes, ncclUint8, peer,
                                        ring, call.stream));
    }
    // A group that has begun ends, whatever was in it.
    return worse(result, nccl->GroupEnd());
  });
  call.row.bytes += uint64_t(ranks - 1) * bytes;
}

void NcclCollectives::copy(const Call &call, CUdeviceptr to, CUdeviceptr from,
                           uint64_t bytes) const {
  device.gpu.check("cuMemcpyAsync", device.gpu.driver().MemcpyAsync(
                                        to, from, bytes, call.stream));
}

/// Adds what the stage has to `elements` elements of the result.
void NcclCollectives::addUp(const Call &call, CUdeviceptr result,
                            uint64_t elements) const {
  const Sum &sum = sums.at(&call.desc);
  const uint64_t parameters[] = {call.lane.stage.at(0), table->at(sum.how),
                                 result, elements};
  device.kernels.launch(call.stream, *sum.kernel, int64_t(elements),
                        parameters);
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

void NcclCollectives::allGather(const Call &call) const {
  const uint64_t slice = sliceBytes(call.desc);
  const bool isWhole = call.desc.source.extent == ZRT_SLICE_OF_WHOLE;
  gather(call, call.source + (isWhole ? uint64_t(rank) * slice : 0),
         call.result, slice);
}

void NcclCollectives::reduceScatter(const Call &call) const {
  const zrt_collective_desc &desc = call.desc;
  const uint64_t size = dtypeBytes(desc.source.dtype),
                 resultSize = dtypeBytes(desc.result.dtype),
                 slice = sliceBytes(desc), stride = chunkBytes(desc),
                 own = uint64_t(rank);
  const bool isWhole = desc.result.extent == ZRT_SLICE_OF_WHOLE;
  const CUdeviceptr result =
      call.result + (isWhole ? own * slice / size * resultSize : 0);
  for (uint64_t done = 0; done < slice; done += stride) {
    const uint64_t bytes = std::min(stride, slice - done);
    const CUdeviceptr source = call.source + done;
    copy(call, call.lane.stage.at(own * stride), source + own * slice, bytes);
    swap(call, source, /*apart=*/slice, bytes, stride);
    addUp(call, result + done / size * resultSize, bytes / size);
  }
}

void NcclCollectives::allReduce(const Call &call) const {
  const uint64_t bytes =
      call.desc.elements * dtypeBytes(call.desc.source.dtype);
  const CUdeviceptr mine = call.lane.stage.at(uint64_t(rank) * bytes);
  copy(call, mine, call.source, bytes);
  gather(call, mine, call.lane.stage.at(0), bytes);
  addUp(call, call.result, call.desc.elements);
}
