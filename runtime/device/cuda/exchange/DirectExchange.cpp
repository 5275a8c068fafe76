//===- DirectExchange.cpp - GPUs that read each other's memory ------------===//
#include "runtime/device/cuda/exchange/DirectExchange.h"

#include "runtime/Error.h"
#include "runtime/device/cuda/exchange/ConnectGpus.h"
#include "runtime/device/cuda/exchange/FilePort.h"
#include "runtime/world/Agree.h"

using namespace zrt;
using namespace zrt::cuda;

DirectExchange::DirectExchange(ExchangeDevice theDevice)
    : device(std::move(theDevice)), ranks(device.ranks()),
      numbers(device.plan.stream_count) {}

std::string DirectExchange::note() const {
  return "GPUs read each other's memory";
}

//===----------------------------------------------------------------------===//
// Ranks together
//===----------------------------------------------------------------------===//

void DirectExchange::checkHost(Transport &host) const {
  for (int peer = 0; peer < ranks; ++peer)
    if (peer != rank && !host.connected()->local(peer))
      fail("--collectives=direct is for ranks of one host, and ranks {} and {} "
           "share no memory{}; compile with --collectives=nccl",
           rank, peer,
           host.connected()->note.empty()
               ? ""
               : " (" + host.connected()->note + ")");
}

void DirectExchange::prepare(World &world, Transport &host) {
  rank = host.rank();
  together(world, [&] {
    checkHost(host);
    device.gpu.enter();
    sums =
        std::make_unique<RankedSums>(device, [&](const zrt_collective_desc &) {
          return device.arena.stride();
        });
    scratch = std::make_unique<GpuMemory>(
        device.gpu, numbers.size() * ZRT_SMALL_BYTES, "results of all_reduce");
  });
  flags = std::make_unique<Flags>(device.gpu, world);
  mapPeers(world);
}

void DirectExchange::mapPeers(World &world) {
  OpenFile mine;
  together(world, [&] { mine = OpenFile(device.arena.share()); });
  const std::vector<OpenFile> files = exchangeFiles(world, mine);
  together(world, [&] {
    for (int peer = 0; peer < ranks; ++peer)
      if (peer != rank)
        device.arena.mapPeer(peer, files[size_t(peer)].number());
  });
}

void DirectExchange::connect() {
  std::vector<bool> isUsed(numbers.size());
  forEachCollective(device.plan,
                    [&](zrt_stream stream, const zrt_collective_desc &) {
                      isUsed[stream] = true;
                    });
  for (zrt_stream stream = 0; stream < isUsed.size(); ++stream)
    if (isUsed[stream])
      meet(stream);
}

/// Tests whether the GPU can read peers' memory and wait for their words.
void DirectExchange::meet(zrt_stream stream) {
  zrt_collective_desc first = {};
  first.name = kFirstExchange;
  TrafficRow row;
  const ExchangeCall call = {
      first, stream, device.streams.of(stream, first.name), 0, 0, row};
  arrive(call);
  for (int peer = 0; peer < ranks; ++peer)
    if (peer != rank) {
      await(call, Flags::Arrived, peer);
      copy(call, scratchOf(call), device.arena.atRank(peer, 0),
           ZRT_SMALL_BYTES);
    }
  finish(call);
  device.streams.finish(stream);
}

void DirectExchange::abort() {
  if (!flags)
    return;
  for (zrt_stream stream = 0; stream < numbers.size(); ++stream)
    flags->release(stream, numbers[stream]);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void DirectExchange::issue(
    const ExchangeCall &call,
    std::vector<CUstreamBatchMemOpParams> operations) const {
  device.gpu.check(
      "cuStreamBatchMemOp",
      device.gpu.driver().StreamBatchMemOp(
          call.queue, unsigned(operations.size()), operations.data(), 0));
}

void DirectExchange::arrive(const ExchangeCall &call) {
  const uint32_t number = ++numbers[call.stream];
  issue(call, flags->tell(call.stream, Flags::Arrived, number));
}

void DirectExchange::await(const ExchangeCall &call, Flags::Kind kind,
                           int peer) const {
  issue(call, {flags->await(call.stream, kind, peer, numbers[call.stream])});
}

void DirectExchange::awaitAll(const ExchangeCall &call,
                              Flags::Kind kind) const {
  std::vector<CUstreamBatchMemOpParams> all;
  for (int peer = 0; peer < ranks; ++peer)
    if (peer != rank)
      all.push_back(
          flags->await(call.stream, kind, peer, numbers[call.stream]));
  issue(call, std::move(all));
}

/// Completes when peers no longer read memory of this rank.
void DirectExchange::finish(const ExchangeCall &call) const {
  issue(call, flags->tell(call.stream, Flags::Done, numbers[call.stream]));
  awaitAll(call, Flags::Done);
}

void DirectExchange::copy(const ExchangeCall &call, CUdeviceptr to,
                          CUdeviceptr from, uint64_t bytes) const {
  device.gpu.check("cuMemcpyAsync", device.gpu.driver().MemcpyAsync(
                                        to, from, bytes, call.queue));
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

void DirectExchange::allGather(const ExchangeCall &call) {
  const uint64_t slice = call.sliceBytes(ranks);
  const bool isWhole = call.desc.source.extent == ZRT_SLICE_OF_WHOLE;
  const auto from = [&](int peer) {
    return sourceOf(call, peer) + (isWhole ? uint64_t(peer) * slice : 0);
  };
  const auto to = [&](int peer) {
    return call.result + uint64_t(peer) * slice;
  };
  arrive(call);
  if (from(rank) != to(rank))
    copy(call, to(rank), from(rank), slice);
  // Each rank begins with another peer, so that not all read from the same one.
  for (int i = 1; i < ranks; ++i) {
    const int peer = (rank + i) % ranks;
    await(call, Flags::Arrived, peer);
    copy(call, to(peer), from(peer), slice);
    call.row.bytes += slice;
  }
  finish(call);
}

void DirectExchange::reduceScatter(const ExchangeCall &call) {
  const uint64_t slice = call.sliceBytes(ranks), own = uint64_t(rank),
                 elements = slice / call.elementBytes();
  const bool isWhole = call.desc.result.extent == ZRT_SLICE_OF_WHOLE;
  const CUdeviceptr result =
      call.result +
      (isWhole ? own * elements * dtypeBytes(call.desc.result.dtype) : 0);
  arrive(call);
  awaitAll(call, Flags::Arrived);
  sums->add(call, sourceOf(call, 0) + own * slice, result, elements);
  call.row.bytes += uint64_t(ranks - 1) * slice;
  finish(call);
}

void DirectExchange::allReduce(const ExchangeCall &call) {
  const uint64_t bytes =
      call.desc.elements * dtypeBytes(call.desc.result.dtype);
  const CUdeviceptr sum = scratchOf(call);
  arrive(call);
  if (call.desc.accumulate)
    copy(call, sum, call.result, bytes);
  awaitAll(call, Flags::Arrived);
  sums->add(call, sourceOf(call, 0), sum, call.desc.elements);
  call.row.bytes += uint64_t(ranks - 1) * call.wholeBytes();
  finish(call);
  copy(call, call.result, sum, bytes);
}
