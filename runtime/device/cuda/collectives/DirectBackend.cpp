//===- DirectBackend.cpp - GPUs that read each other's memory -------------===//
//
// The protocol of processors (transport/Transport.h) on CUDA streams.  Ranks of
// one host map each other's device arenas at contiguous addresses (GpuMemory),
// and publish their progress in words of host memory (Flags):
//
//   arrive      my source can be read now; peers' words say so
//   wait        until the peers have arrived
//   read        all_gather and all_to_all copy their slices; sums read all
//               contributions in place, in rank order
//   done        I read no more
//   wait        until the peers are done: now my source may be overwritten
//
// Copy engines do the copies, and the streams write and await the words.  Only
// sums need a kernel, and nothing is staged.
//
//===----------------------------------------------------------------------===//
#include "runtime/device/cuda/collectives/FilePort.h"
#include "runtime/device/cuda/collectives/Flags.h"
#include "runtime/device/cuda/collectives/RankedSums.h"
#include "runtime/text/Error.h"
#include "runtime/world/Agree.h"

#include <array>
#include <atomic>
#include <memory>
#include <vector>

using namespace zrt;
using namespace zrt::cuda;

namespace {

class DirectBackend final : public Backend {
public:
  explicit DirectBackend(const CollectiveDevice &device)
      : Backend(device), numbers(device.plan.stream_count) {}

  void prepare(World &world, Transport &host) override;
  void runAllGather(const CollectiveCall &call) override;
  void runReduceScatter(const CollectiveCall &call) override;
  void runAllReduce(const CollectiveCall &call) override;
  void runAllToAll(const CollectiveCall &call) override;
  void abort() override;
  std::string note() const override { return "GPUs read each other's memory"; }

private:
  void checkHost(Transport &host) const;
  void mapPeers(World &world);
  void meet(const CollectiveCall &call) override;
  void issue(const CollectiveCall &call,
             std::vector<CUstreamBatchMemOpParams> operations) const;
  void arrive(const CollectiveCall &call);
  void await(const CollectiveCall &call, Flags::Kind kind, int peer) const;
  void tellAll(const CollectiveCall &call, Flags::Kind kind) const;
  void awaitAll(const CollectiveCall &call, Flags::Kind kind) const;
  void finish(const CollectiveCall &call) const;
  void copyShares(const CollectiveCall &call, uint64_t offset);
  /// Returns the address on this GPU of the bytes that `rank` gives.
  CUdeviceptr sourceOf(const CollectiveCall &call, int rank) const {
    const zrt_ref source = refOf(call.desc.source, uint32_t(rank), groups);
    return device.arena.atRank(rank, source.offset);
  }
  /// Returns memory for a result of an all_reduce that peers must not see yet.
  CUdeviceptr scratchOf(const CollectiveCall &call) const {
    return scratch->at(uint64_t(call.stream) * ZRT_SMALL_BYTES);
  }

  std::unique_ptr<RankedSums> sums;
  std::unique_ptr<GpuMemory> scratch;
  std::unique_ptr<Flags> flags;
  /// The number of collectives that each stream has begun.
  std::vector<std::atomic<uint32_t>> numbers;
};

//===----------------------------------------------------------------------===//
// Ranks together
//===----------------------------------------------------------------------===//

void DirectBackend::checkHost(Transport &host) const {
  for (int peer = 0; peer < ranks; ++peer)
    if (peer != rank && !host.connected()->local(peer))
      fail("--collectives=direct is for ranks of one host, and ranks {} and {} "
           "share no memory{}; compile with --collectives=nccl",
           rank, peer,
           host.connected()->note.empty()
               ? ""
               : " (" + host.connected()->note + ")");
}

void DirectBackend::prepare(World &world, Transport &host) {
  setRank(host.rank());
  together(world, [&] {
    checkHost(host);
    device.gpu.enter();
    sums = std::make_unique<RankedSums>(
        device, [&](const zrt_collective_desc &desc) {
          return uint64_t(partyOf(desc).step) * device.arena.stride();
        });
    scratch = std::make_unique<GpuMemory>(
        device.gpu, numbers.size() * ZRT_SMALL_BYTES, "results of all_reduce");
  });
  flags = std::make_unique<Flags>(device.gpu, world);
  mapPeers(world);
}

void DirectBackend::mapPeers(World &world) {
  OpenFile mine;
  together(world, [&] { mine = OpenFile(device.arena.share()); });
  const std::vector<OpenFile> files = exchangeFiles(world, mine);
  together(world, [&] {
    for (int peer = 0; peer < ranks; ++peer)
      if (peer != rank)
        device.arena.mapPeer(peer, files[size_t(peer)].number());
  });
}

/// Returns the bytes that `rank` shows its peers at the start.
static std::array<uint32_t, ZRT_SMALL_BYTES / 4> patternOf(int rank) {
  std::array<uint32_t, ZRT_SMALL_BYTES / 4> pattern;
  for (uint32_t i = 0; i < pattern.size(); ++i)
    pattern[i] = 0x9e3779b9U * (uint32_t(rank) * 64 + i + 1);
  return pattern;
}

/// Tests whether the GPU can wait for peers' words, and reads from their memory
/// what they have written there.  With some settings of a host's IOMMU it reads
/// other bytes, without any error.
void DirectBackend::meet(const CollectiveCall &call) {
  const auto mine = patternOf(rank);
  device.gpu.MemcpyHtoD(device.arena.at(0), mine.data(), sizeof(mine));
  device.gpu.StreamSynchronize(nullptr);
  arrive(call);
  int wrong = -1;
  for (const int peer : partyOf(call.desc).ranks) {
    if (peer == rank)
      continue;
    await(call, Flags::Arrived, peer);
    copy(call, scratchOf(call), device.arena.atRank(peer, 0), sizeof(mine));
    device.streams.finish(call.stream);
    auto found = mine;
    device.gpu.MemcpyDtoH(found.data(), scratchOf(call), sizeof(found));
    if (found != patternOf(peer))
      wrong = peer;
  }
  finish(call);
  device.streams.finish(call.stream);
  device.gpu.MemsetD8Async(device.arena.at(0), 0, sizeof(mine), nullptr);
  device.gpu.StreamSynchronize(nullptr);
  if (wrong >= 0)
    fail("{} reads other bytes from the memory of rank {} than are there; "
         "switch off ACS in the BIOS or the IOMMU of the host's kernel, or "
         "compile with --collectives=nccl",
         device.gpu.name(), wrong);
}

void DirectBackend::abort() {
  if (!flags)
    return;
  for (zrt_stream stream = 0; stream < numbers.size(); ++stream)
    flags->release(stream, numbers[stream]);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void DirectBackend::issue(
    const CollectiveCall &call,
    std::vector<CUstreamBatchMemOpParams> operations) const {
  device.gpu.StreamBatchMemOp(call.queue, unsigned(operations.size()),
                              operations.data(), 0);
}

void DirectBackend::arrive(const CollectiveCall &call) {
  ++numbers[call.stream];
  tellAll(call, Flags::Arrived);
}

void DirectBackend::tellAll(const CollectiveCall &call,
                            Flags::Kind kind) const {
  std::vector<CUstreamBatchMemOpParams> all;
  for (const int peer : partyOf(call.desc).ranks)
    if (peer != rank)
      all.push_back(flags->tell(call.stream, kind, peer, numbers[call.stream]));
  issue(call, std::move(all));
}

void DirectBackend::await(const CollectiveCall &call, Flags::Kind kind,
                          int peer) const {
  issue(call, {flags->await(call.stream, kind, peer, numbers[call.stream])});
}

void DirectBackend::awaitAll(const CollectiveCall &call,
                             Flags::Kind kind) const {
  std::vector<CUstreamBatchMemOpParams> all;
  for (const int peer : partyOf(call.desc).ranks)
    if (peer != rank)
      all.push_back(
          flags->await(call.stream, kind, peer, numbers[call.stream]));
  issue(call, std::move(all));
}

/// Completes when peers no longer read memory of this rank.
void DirectBackend::finish(const CollectiveCall &call) const {
  tellAll(call, Flags::Done);
  awaitAll(call, Flags::Done);
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

/// Copies the bytes from `offset` on that each rank gives to its place in the
/// result.
void DirectBackend::copyShares(const CollectiveCall &call, uint64_t offset) {
  const Party &party = partyOf(call.desc);
  const uint64_t share = shareBytes(call.desc);
  const auto to = [&](size_t place) { return call.result + place * share; };
  arrive(call);
  if (call.source + offset != to(party.own))
    copy(call, to(party.own), call.source + offset, share);
  // Each rank begins with another peer, so that not all read from the same one.
  for (size_t i = 1; i < party.size(); ++i) {
    const size_t place = (party.own + i) % party.size();
    await(call, Flags::Arrived, party.ranks[place]);
    copy(call, to(place), sourceOf(call, party.ranks[place]) + offset, share);
    call.row.bytes += share;
  }
  finish(call);
}

void DirectBackend::runAllGather(const CollectiveCall &call) {
  copyShares(call, 0);
}

void DirectBackend::runAllToAll(const CollectiveCall &call) {
  copyShares(call, partyOf(call.desc).own * shareBytes(call.desc));
}

void DirectBackend::runReduceScatter(const CollectiveCall &call) {
  const Party &party = partyOf(call.desc);
  const uint64_t share = shareBytes(call.desc);
  arrive(call);
  awaitAll(call, Flags::Arrived);
  sums->add(call, sourceOf(call, party.ranks[0]) + party.own * share,
            call.result, share / call.elementBytes());
  call.row.bytes += (party.size() - 1) * share;
  finish(call);
}

void DirectBackend::runAllReduce(const CollectiveCall &call) {
  const uint64_t bytes = shareBytes(call.desc);
  const CUdeviceptr sum = scratchOf(call);
  arrive(call);
  if (call.desc.accumulate)
    copy(call, sum, call.result, bytes);
  awaitAll(call, Flags::Arrived);
  sums->add(call, sourceOf(call, 0), sum, call.desc.elements);
  call.row.bytes += uint64_t(ranks - 1) * bytes;
  finish(call);
  copy(call, call.result, sum, bytes);
}

} // namespace

std::shared_ptr<Backend>
cuda::makeDirectBackend(const CollectiveDevice &device) {
  return std::make_shared<DirectBackend>(device);
}
