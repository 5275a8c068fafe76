//===- DirectExchange.h - GPUs that read each other's memory ----*- C++ -*-===//
//
// The protocol of processors (transport/Transport.h) on CUDA streams.  Ranks of
// one host map each other's device arenas at contiguous addresses (GpuMemory),
// and publish their progress in words of host memory (Flags):
//
//   arrive      my source can be read now; peers' words say so
//   wait        until the peers have arrived
//   read        all_gather copies their slices; sums read all contributions in
//               place, in rank order
//   done        I read no more
//   wait        until the peers are done: now my source may be overwritten
//
// Copy engines do the copies, and the streams write and await the words.  Only
// sums need a kernel, and nothing is staged.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/device/cuda/exchange/Flags.h"
#include "runtime/device/cuda/exchange/RankedSums.h"

#include <atomic>
#include <memory>
#include <vector>

namespace zrt::cuda {

class DirectExchange final : public Exchange {
public:
  explicit DirectExchange(ExchangeDevice device);

  void prepare(World &world, Transport &host) override;
  void connect() override;
  void allGather(const ExchangeCall &call) override;
  void reduceScatter(const ExchangeCall &call) override;
  void allReduce(const ExchangeCall &call) override;
  void abort() override;
  std::string note() const override;

private:
  void checkHost(Transport &host) const;
  void mapPeers(World &world);
  void meet(zrt_stream stream);
  void issue(const ExchangeCall &call,
             std::vector<CUstreamBatchMemOpParams> operations) const;
  void arrive(const ExchangeCall &call);
  void await(const ExchangeCall &call, Flags::Kind kind, int peer) const;
  void awaitAll(const ExchangeCall &call, Flags::Kind kind) const;
  void finish(const ExchangeCall &call) const;
  void copy(const ExchangeCall &call, CUdeviceptr to, CUdeviceptr from,
            uint64_t bytes) const;
  /// Returns the address on this GPU of the source of `rank`.
  CUdeviceptr sourceOf(const ExchangeCall &call, int rank) const {
    return device.arena.atRank(rank, call.desc.source.ref.offset);
  }
  /// Returns memory for a result of an all_reduce that peers must not see yet.
  CUdeviceptr scratchOf(const ExchangeCall &call) const {
    return scratch->at(uint64_t(call.stream) * ZRT_SMALL_BYTES);
  }

  const ExchangeDevice device;
  const int ranks;
  int rank = 0;
  std::unique_ptr<RankedSums> sums;
  std::unique_ptr<GpuMemory> scratch;
  std::unique_ptr<Flags> flags;
  /// The number of collectives that each stream has begun.
  std::vector<std::atomic<uint32_t>> numbers;
};

} // namespace zrt::cuda
