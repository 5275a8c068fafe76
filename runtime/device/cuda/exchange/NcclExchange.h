//===- NcclExchange.h - Exchange between GPUs by NCCL -----------*- C++ -*-===//
//
// NCCL only moves bytes.  Its sums would round 16-bit numbers at every rank
// that they pass, in an order that NCCL chooses.  Here all contributions go to
// the owner of a slice, whose kernel adds them in rank order, with the same
// bits as on processors:
//
//   all_gather       ncclAllGather
//   reduce_scatter   chunk by chunk: each rank sends its contributions to their
//                    owners, which add them up
//   all_reduce       ncclAllGather, then every rank adds up everything
//
// Each stream of the plan with collectives is a lane: a communicator, and GPU
// memory for contributions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/device/cuda/exchange/Communicator.h"
#include "runtime/device/cuda/exchange/RankedSums.h"

#include <memory>
#include <vector>

namespace zrt::cuda {

/// The alignment of contributions in bytes.
constexpr uint64_t kContribution = 256;
static_assert(kContribution >= ZRT_SMALL_BYTES);

class NcclExchange final : public Exchange {
public:
  /// Opens NCCL.  Throws zrt::Error.
  explicit NcclExchange(ExchangeDevice device);

  void prepare(World &world, Transport &host) override;
  void connect() override;
  void allGather(const ExchangeCall &call) override;
  void reduceScatter(const ExchangeCall &call) override;
  void allReduce(const ExchangeCall &call) override;
  std::string failure() override;
  void abort() override;
  std::string note() const override;

private:
  struct Lane {
    Lane(const Gpu &gpu, const Nccl &nccl, uint64_t bytes)
        : stage(gpu, bytes, "what ranks contribute to sums"), all(nccl) {}
    GpuMemory stage; ///< contributions; outlives its users
    Communicator all;
  };

  void makeLanes();
  void makeIds(World &world);
  void meet(zrt_stream stream);
  uint64_t sliceBytes(const zrt_collective_desc &desc) const;
  /// Returns the bytes of a slice that are added up at once.
  uint64_t chunkBytes(const zrt_collective_desc &desc) const;
  Lane &laneOf(const ExchangeCall &call) const { return *lanes[call.stream]; }
  void gather(const ExchangeCall &call, CUdeviceptr mine, CUdeviceptr all,
              uint64_t bytes) const;
  void swap(const ExchangeCall &call, CUdeviceptr source, uint64_t apart,
            uint64_t bytes, uint64_t stride) const;
  void copy(const ExchangeCall &call, CUdeviceptr to, CUdeviceptr from,
            uint64_t bytes) const;

  const ExchangeDevice device;
  const Nccl nccl;
  const int ranks;
  int rank = 0;
  const uint64_t stageBytes;
  std::unique_ptr<RankedSums> sums;
  std::vector<std::unique_ptr<Lane>> lanes; ///< by stream; some have none
  std::vector<ncclUniqueId> ids;            ///< of lanes
};

} // namespace zrt::cuda
