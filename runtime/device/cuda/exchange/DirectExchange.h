//===- DirectExchange.h - GPUs that read each other's memory ----*- C++ -*-===//
//
// The protocol of processors (transport/Transport.h) by CUDA's streams.  Ranks of one
// host map each other's device arenas, one after another in their addresses
// (GpuMemory), and tell each other in words of host memory how far they are (Flags):
//
//   arrive      my source can be read now; peers' words say so
//   wait        until the peers have arrived
//   read        all_gather copies their slices; sums read all contributions where
//               they lie, in rank order
//   done        I read no more
//   wait        until the peers are done: now my source may be overwritten
//
// Copies are the copy engines', words and waits the stream's own: nothing but sums
// needs a kernel, and nothing is staged.
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
  /// Of `rank`, where this GPU finds its source.
  CUdeviceptr sourceOf(const ExchangeCall &call, int rank) const {
    return device.arena.atRank(rank, call.desc.source.ref.offset);
  }
  /// For results of an all_reduce that peers must not see yet.
  CUdeviceptr scratchOf(const ExchangeCall &call) const {
    return scratch->at(uint64_t(call.stream) * ZRT_SMALL_BYTES);
  }

  const ExchangeDevice device;
  const int ranks;
  int rank = 0;
  std::unique_ptr<RankedSums> sums;
  std::unique_ptr<GpuMemory> scratch;
  std::unique_ptr<Flags> flags;
  /// Collectives that a stream has begun.
  std::vector<std::atomic<uint32_t>> numbers;
};

} // namespace zrt::cuda
